#include "grader/lesson/lesson.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "grader/lesson/element.h"
#include "grader/lesson/parallel.h"

using namespace ladder;

TEST_CASE("a case is labelled by its variant and extents") {
  const Case which{{{"rows", 33}, {"cols", 65}}, "sum", Case::Use::check};
  CHECK(which.label() == "sum, rows=33, cols=65");
  CHECK(which["cols"] == 65);
  CHECK_THROWS_AS(which["depth"], std::out_of_range);
}

TEST_CASE("random values do not depend on how many threads made them") {
  std::vector<float> large(1'000'000);
  Random(7).uniform(std::span(large), -2, 3);
  std::vector<float> small(1000);
  Random(7).uniform(std::span(small), -2, 3);
  CHECK(std::equal(small.begin(), small.end(), large.begin()));
  const auto [low, high] = std::minmax_element(large.begin(), large.end());
  CHECK(*low >= -2);
  CHECK(*low < -1.99F);
  CHECK(*high <= 3);
  CHECK(*high > 2.99F);
}

TEST_CASE("two fills of one generator differ, and so do two seeds") {
  std::vector<double> a(100), b(100), c(100);
  Random random(1);
  random.uniform(std::span(a), 0, 1);
  random.uniform(std::span(b), 0, 1);
  Random(2).uniform(std::span(c), 0, 1);
  CHECK(a != b);
  CHECK(a != c);
}

TEST_CASE("random integers reach both ends of their range") {
  std::vector<std::int8_t> bytes(20'000);
  Random(3).uniform(std::span(bytes), std::int8_t{-128}, std::int8_t{127});
  CHECK(*std::min_element(bytes.begin(), bytes.end()) == -128);
  CHECK(*std::max_element(bytes.begin(), bytes.end()) == 127);
  std::vector<std::uint64_t> words(100);
  Random(3).uniform(std::span(words), std::uint64_t{0}, ~std::uint64_t{0});
  CHECK(*std::max_element(words.begin(), words.end()) > (std::uint64_t{1} << 63));
}

TEST_CASE("a problem hands out what was declared, and nothing else") {
  Problem problem(Case{{{"n", 5}}, "", Case::Use::check});
  const auto in = problem.input<__half>("in", {5});
  REQUIRE(in.size() == 5);
  std::fill(in.begin(), in.end(), __half(2.5F));
  problem.output<float>("out", {5});
  CHECK(to_double(problem.read<__half>("in")[4]) == 2.5);
  CHECK_THROWS_AS(problem.read<float>("in"), std::invalid_argument);
  CHECK_THROWS_AS(problem.read<float>("out"), std::invalid_argument);
  CHECK_THROWS_AS(problem.expect("in", {}), std::invalid_argument);
  CHECK_THROWS_AS(problem.output<float>("in", {1}), std::invalid_argument);
  CHECK_THROWS_AS(problem.input<float>("huge", {1LL << 40, 1LL << 40}), std::invalid_argument);
  CHECK_THROWS_AS(problem.input<float>("negative", {-1}), std::invalid_argument);
  CHECK(problem.expect("out", {.absolute = 1}).size() == 5);
}

TEST_CASE("an empty problem has empty arrays") {
  Problem problem(Case{{{"n", 0}}, "", Case::Use::check});
  CHECK(problem.input<float>("in", {0}).empty());
  problem.output<float>("out", {0});
  CHECK(problem.expect("out", {}).empty());
}

TEST_CASE("a failure on one thread reaches the caller") {
  CHECK_THROWS_AS(parallel_for(10'000'000,
                               [](std::int64_t begin, std::int64_t) {
                                 if (begin > 5'000'000) throw std::runtime_error("no");
                               }),
                  std::runtime_error);
}
