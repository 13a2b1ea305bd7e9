#include "grader/lesson/blank_page.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/lesson/giant.h"

namespace {

using ladder::Case;

/// Fills its output with one number.
class Filled : public ladder::Lesson {
 public:
  explicit Filled(double value) : value_(value) {}
  std::vector<Case> cases(ladder::DeviceKind) const override { return {{{{"n", 3}}, "", Case::Use::check}}; }
  bool valid(const Case& which) const override { return which["n"] > value_; }
  void declare(ladder::Problem& problem, ladder::Random&) const override {
    problem.output<float>("out", {problem.which()["n"]});
  }
  void reference(ladder::Problem& problem) const override {
    for (double& value : problem.expect("out", {})) value = value_;
  }
  ladder::Work work(const Case&) const override { return {.flops = value_}; }
  cudaError_t launch(const Case&, const ladder::Arguments&) override { return cudaSuccess; }

 private:
  double value_;
};

class FilledGiant : public Filled, public ladder::Giant {
 public:
  explicit FilledGiant(double value) : Filled(value), value_(value) {}
  std::vector<Case> giant_cases() const override { return {{{{"n", 1}}, "giant", Case::Use::check}}; }
  void outline(ladder::Problem&) const override {}
  double element(const Case&, std::string_view, std::int64_t, const Input&) const override { return value_; }

 private:
  double value_;
};

}  // namespace

TEST_CASE("a rung is held to the cases of the lesson, or to those of its blank page") {
  const ladder::WithBlankPage both(std::make_unique<Filled>(1), std::make_unique<Filled>(2));
  const std::vector<Case> cases = both.cases(ladder::DeviceKind::simulator);
  REQUIRE(cases.size() == 2);
  CHECK(both.applies(cases[0], "1_plain"));
  CHECK(!both.applies(cases[0], "2_blank_page"));
  CHECK(!both.applies(cases[1], "1_plain"));
  CHECK(both.applies(cases[1], "2_blank_page"));
  CHECK(both.applies(cases[1], "cub_blank_page"));
  for (int i = 0; i < 2; ++i) {
    ladder::Problem problem(cases[static_cast<std::size_t>(i)]);
    ladder::Random random(1);
    both.declare(problem, random);
    both.reference(problem);
    CHECK(problem.buffers()[0].expected[2] == i + 1);
    CHECK(both.work(problem.which()).flops == i + 1);
  }
  Case two = cases[1];
  two.extents[0].second = 2;
  CHECK(!both.valid(two));  // the page's rule, not the lesson's
}

TEST_CASE("a lesson and its blank page have their giant cases together, and each knows whose it is") {
  const auto with = [](std::unique_ptr<ladder::Lesson> lesson, std::unique_ptr<ladder::Lesson> page) {
    return ladder::WithBlankPage(std::move(lesson), std::move(page));
  };
  const auto both = with(std::make_unique<FilledGiant>(0), std::make_unique<FilledGiant>(2));
  const std::vector<Case> cases = ladder::giant_cases_of(both);
  REQUIRE(cases.size() == 2);
  CHECK(!both.applies(cases[0], "2_blank_page"));
  CHECK(both.applies(cases[1], "2_blank_page"));
  const auto none = [](std::string_view, std::int64_t) { return 0.0; };
  CHECK(ladder::giant_of(both, cases[0]).element(cases[0], "out", 0, none) == 0);
  CHECK(ladder::giant_of(both, cases[1]).element(cases[1], "out", 0, none) == 2);
  const auto page = with(std::make_unique<Filled>(0), std::make_unique<FilledGiant>(2));
  REQUIRE(ladder::giant_cases_of(page).size() == 1);
  CHECK(ladder::giant_cases_of(page)[0].blank_page);
  CHECK(ladder::giant_cases_of(with(std::make_unique<Filled>(1), std::make_unique<Filled>(2))).empty());
}

TEST_CASE("a blank page's plugin lies beside its lesson's") {
  CHECK(ladder::plugin_for("modules/09_reduction/lesson.so", "15_blank_page") ==
        "modules/09_reduction/blank_page.so");
  CHECK(ladder::plugin_for("modules/09_reduction/lesson.so", "3_interleaved") ==
        "modules/09_reduction/lesson.so");
}
