// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <numeric>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case of(std::int64_t n, std::int64_t hops, Case::Use use = Case::Use::check) {
  return {{{"n", n}, {"hops", hops}}, "", use};
}

class ChaseShared : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {of(1, 0),         of(1, 1),         of(2, 1),
                               of(3, 100),       of(31, 30),       of(33, 0),
                               of(257, 256),     of(1'023, 1'022), of(1'025, 4'099),
                               of(4'099, 4'098), of(9'973, 31),    of(kMostLinks, kMostLinks - 1)};
    ladder::add_with_offsets(cases, of(1'024, 31), {"out", "next"});
    cases.push_back(of(4'096, device == ladder::DeviceKind::gpu ? 65'536 : 8'192, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override { return which["n"] >= 1 && which["n"] <= kMostLinks; }

  /// A cyclic order of all elements, in which every one follows a random other one (Sattolo's shuffle).
  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const auto next = problem.input<unsigned>("next", {problem.which()["n"]});
    std::iota(next.begin(), next.end(), 0u);
    for (std::size_t i = next.size(); i > 1; --i) std::swap(next[i - 1], next[random.next() % (i - 1)]);
    problem.output<unsigned>("out", {1});
  }

  void reference(ladder::Problem& problem) const override {
    const auto next = problem.read<unsigned>("next");
    unsigned at = 0;
    for (std::int64_t hop = 0; hop < problem.which()["hops"]; ++hop) at = next[at];
    problem.expect("out", {})[0] = at;
  }

  ladder::Work work(const Case& which) const override {
    return {.bytes_read = static_cast<double>(which["n"]) * sizeof(unsigned),
            .bytes_written = sizeof(unsigned)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return chase_shared(arguments.get<unsigned>("out"), arguments.get<unsigned>("next"),
                        static_cast<int>(which["n"]), which["hops"]);
  }
};

}  // namespace

LADDER_LESSON(ChaseShared)
