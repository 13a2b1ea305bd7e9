// Cases that are made ahead: the same, whoever makes them.
#include "grader/judge/cases/case_store.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

namespace {

using namespace ladder;

/// Inputs of n numbers, and as truth their doubles; a case of 7 cannot be solved the first time.
class Doubles final : public Lesson {
 public:
  std::vector<Case> cases(DeviceKind) const override { return {}; }
  void declare(Problem& problem, Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("in", {n}), -1.0F, 1.0F);
    problem.output<float>("out", {n});
  }
  void reference(Problem& problem) const override {
    if (problem.which()["n"] == 7 && ++sevens == 1) throw std::runtime_error("not now");
    ++solved;
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", {});
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2.0 * static_cast<double>(in[i]);
  }
  cudaError_t launch(const Case&, const Arguments&) override { return cudaSuccess; }
  Work work(const Case&) const override { return {}; }
  mutable std::atomic<int> solved = 0, sevens = 0;
};

Case of(std::int64_t n) { return {{{"n", n}}, "", Case::Use::check}; }

}  // namespace

TEST_CASE("a case that was made ahead is the one that would be made when it is asked for") {
  const Secret secret(7, "doubles");
  const Doubles lesson;
  CaseStore store(lesson, secret);
  store.make_ahead({of(3), of(1000), of(40)});
  for (const std::int64_t n : {3, 40, 1000, 5}) {
    const auto got = store.get(of(n)), alone = store.make(of(n));
    CHECK(got->problem.buffers()[1].expected == alone->problem.buffers()[1].expected);
    CHECK(got->guard_seed == alone->guard_seed);
    CHECK(store.get(of(n)) == got);
  }
}

TEST_CASE("what has not been asked for is kept when the rest is forgotten") {
  const Doubles lesson;
  CaseStore store(lesson, Secret(7, "doubles"));
  store.make_ahead({of(3), of(4)});
  while (!store.keeps(of(4))) std::this_thread::yield();
  (void)store.get(of(3));
  store.forget();
  CHECK_FALSE(store.keeps(of(3)));
  CHECK(store.keeps(of(4)));
}

TEST_CASE("a case that cannot be made ahead is made when it is asked for") {
  const Doubles lesson;
  CaseStore store(lesson, Secret(7, "doubles"));
  store.make_ahead({of(7), of(8)});
  while (lesson.sevens == 0) std::this_thread::yield();
  CHECK(store.get(of(7))->problem.buffers()[1].expected.size() == 7);
  CHECK(lesson.sevens == 2);
}
