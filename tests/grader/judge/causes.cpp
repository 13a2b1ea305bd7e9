// Diagnoses that once misled, by their cause.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <cstring>
#include <numeric>

#include "grader/judge/diagnose/by_case.h"
#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/diagnose/stores.h"
#include "tests/grader/judge/scene.h"

using namespace ladder;
using diagnose::Cause;
using diagnose::Diagnosis;
using diagnose::Tried;
using test::contains;
using test::Scene;

namespace {

Tried tried(std::int64_t n, std::int64_t stride, bool right, const char* variant = "") {
  return {{{{"n", n}, {"stride", stride}}, variant, Case::Use::check}, right};
}

}  // namespace

TEST_CASE("bytes taken for elements are told as such, not as a grid that ends too early") {
  Scene scene({1023});
  for (std::size_t i = 255; i < scene.size(); ++i) scene.unwrite(i);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::bytes_for_elements);
  contains(diagnosis.headline, "only the first 255 of 1023 elements of 'out' are right");
  contains(diagnosis.advice, "count bytes");
}

TEST_CASE("all slices but the first are told as such, not as a tail") {
  Scene scene({30, 31, 29});
  const bool unwritten = GENERATE(true, false);
  for (std::size_t i = 31 * 29; i < scene.size(); ++i)
    if (unwritten)
      scene.unwrite(i);
    else
      scene.got[i] = static_cast<float>(20 + i % 13);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::slices);
  contains(diagnosis.headline, "only the first slice of 'out' is right: 29 of 30 slices");
}

TEST_CASE("a column that is wrong is named") {
  Scene scene({40, 50});
  for (std::size_t r = 0; r < 40; ++r) scene.got[r * 50 + 49] += static_cast<float>(r % 7 + 1);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::slices);
  contains(diagnosis.headline, "column 49 of 50");
}

TEST_CASE("an output that is right at its beginning only is not called wrong in its tail") {
  Scene scene({1023});
  for (std::size_t i = 64; i < scene.size(); ++i) scene.got[i] = static_cast<float>(20 + i * 7 % 13);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::from_there_on);
  contains(diagnosis.headline, "only the first 64 of 1023 elements");
}

TEST_CASE("the upper lanes of every warp are named") {
  Scene scene({1024});
  for (std::size_t i = 0; i < scene.size(); ++i)
    if (i % 32 >= 16) scene.got[i] = static_cast<float>(20 + i * i % 13);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::periodic);
  contains(diagnosis.headline, "elements 16 to 31 of every 32");
}

TEST_CASE("steps or columns that are left out are not called rounding") {
  Scene scene({1000});
  for (std::size_t i = 0; i < scene.size(); ++i) scene.got[i] *= 1 - 1e-3F * (1 + static_cast<float>(i % 7));
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::too_small);
  contains(diagnosis.advice, "left out");
}

TEST_CASE("errors to both sides are rounding still") {
  Scene scene({1000});
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.got[i] *= 1 + 1e-4F * static_cast<float>(static_cast<int>(i % 7) - 3);
  CHECK(scene.diagnosis().cause == Cause::low_precision);
}

TEST_CASE("values that belong to other elements are told as misplaced") {
  Scene scene({1000});
  std::iota(scene.out.expected.begin(), scene.out.expected.end(), 1.0);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.out.expected[i] *= 1.5;
    scene.got[i] = static_cast<float>(1.5 * static_cast<double>((i * 37 + 11) % 1000 + 1));
  }
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::misplaced);
  contains(diagnosis.headline, "out[0] holds what [11] should");
}

TEST_CASE("an input that is not added is named") {
  Scene scene({100});
  std::vector<float> residual(100);
  for (std::size_t i = 0; i < 100; ++i) {
    residual[i] = static_cast<float>(1 + i * i % 17);
    scene.got[i] -= residual[i];
  }
  scene.add_input(residual, "residual");
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::input_left_out);
  contains(diagnosis.headline, "'residual' is not added");
}

TEST_CASE("a bias taken by row is told from one by column") {
  Scene scene({20, 30});
  std::vector<float> bias(30);
  for (std::size_t c = 0; c < 30; ++c) bias[c] = static_cast<float>(c * c % 19) - 7;
  for (std::size_t i = 0; i < scene.size(); ++i) scene.got[i] += bias[i / 30] - bias[i % 30];
  scene.add_input(bias, "bias");
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::input_misindexed);
  contains(diagnosis.headline, "another element of 'bias': that of its row, not that of its column");
}

TEST_CASE("what should have been cut off at 0 is named") {
  Scene scene({100});
  for (std::size_t i = 0; i < 100; i += 3) {
    scene.out.expected[i] = 0;
    scene.got[i] = -1 - static_cast<float>(i % 5);
  }
  CHECK(scene.diagnosis().cause == Cause::not_cut_off);
}

TEST_CASE("the extent that tells right cases from wrong ones is found") {
  SECTION("a bound") {
    const std::vector<Tried> all{tried(7, 1, true),  tried(90, 1, true),  tried(900, 1, true),
                                 tried(5, 2, false), tried(80, 3, false), tried(70, 2, false)};
    const auto rule = diagnose::rule_of(all);
    REQUIRE(rule.has_value());
    CHECK(rule->right_where == "stride = 1");
    CHECK(rule->wrong_where == "stride >= 2");
  }
  SECTION("a divisor") {
    const std::vector<Tried> all{tried(32, 1, true), tried(1024, 2, true), tried(64, 3, true),
                                 tried(5, 2, false), tried(97, 1, false),  tried(1023, 3, false)};
    const auto rule = diagnose::rule_of(all);
    REQUIRE(rule.has_value());
    CHECK(rule->right_where == "n is a multiple of 2");
  }
  SECTION("the variant") {
    const std::vector<Tried> all{tried(7, 1, true, "sum"),   tried(90, 2, true, "sum"),
                                 tried(9, 3, true, "sum"),   tried(5, 2, false, "max"),
                                 tried(80, 3, false, "max"), tried(70, 1, false, "max")};
    const auto rule = diagnose::rule_of(all);
    REQUIRE(rule.has_value());
    CHECK(rule->wrong_where == "the case is 'max'");
  }
  SECTION("one variant against more than anybody reads") {
    const std::vector<Tried> all{tried(7, 1, true, "all 0"), tried(90, 2, true, "all 0"),
                                 tried(9, 3, false, "sum"),  tried(5, 2, false, "max"),
                                 tried(80, 3, false, "min"), tried(70, 1, false, "and"),
                                 tried(8, 3, false, "or"),   tried(60, 1, false, "xor")};
    const auto rule = diagnose::rule_of(all);
    REQUIRE(rule.has_value());
    CHECK(rule->right_where == "the case is 'all 0'");
    CHECK(rule->wrong_where == "the case is any other");
  }
}

TEST_CASE("of few cases, or of a mixture, no rule is made") {
  const std::vector<Tried> few{tried(7, 1, true), tried(90, 2, false), tried(95, 2, false)};
  CHECK_FALSE(diagnose::rule_of(few).has_value());
  const std::vector<Tried> mixed{tried(1, 1, true),  tried(2, 3, false), tried(3, 2, true),
                                 tried(4, 1, false), tried(5, 3, true),  tried(6, 2, false),
                                 tried(7, 3, false), tried(8, 2, true)};
  CHECK_FALSE(diagnose::rule_of(mixed).has_value());
  // Nothing is wrong with nothing.
  const std::vector<Tried> empty{tried(0, 1, true),  tried(0, 1, true),   tried(0, 1, true),
                                 tried(5, 2, false), tried(80, 3, false), tried(70, 2, false)};
  CHECK_FALSE(diagnose::rule_of(empty).has_value());
}

TEST_CASE("a line that stores each element many times is found") {
  sim::KernelRecord kernel;
  kernel.lines.push_back({"x.cu", 12, 0, 0, {}});
  sim::AccessRecord store;
  store.space = sim::MemorySpace::global;
  store.access = sim::AccessKind::write;
  store.bytes = 4;
  store.requests = 1056;
  store.sample.mask = 0xFFFFFFFF;
  kernel.lines.back().accesses.push_back(store);
  Buffer out;
  out.role = Buffer::Role::output;
  out.shape = {32};
  const auto again = diagnose::stored_again({&kernel, 1}, {&out, 1});
  REQUIRE(again.has_value());
  CHECK(again->times() == 1056);
  CHECK(again->line == 12);
  out.shape = {32 * 1056};
  CHECK_FALSE(diagnose::stored_again({&kernel, 1}, {&out, 1}).has_value());
  // What a program prints is no measure of what its kernel has to store.
  out.shape = {3};
  out.location = Buffer::Location::host;
  CHECK_FALSE(diagnose::stored_again({&kernel, 1}, {&out, 1}).has_value());
}

namespace {

/// What is said of integers with these right and wrong values.
diagnose::Diagnosis diagnosis_of(const std::vector<int>& expected, const std::vector<int>& got) {
  Buffer out;
  out.name = "out";
  out.role = Buffer::Role::output;
  out.type = Type::i32;
  out.shape = {static_cast<std::int64_t>(got.size())};
  out.expected.assign(expected.begin(), expected.end());
  const auto bytes = std::as_bytes(std::span(got));
  const Mismatches wrong = compare(out, bytes, 0xFF);
  REQUIRE(wrong.count > 0);
  return diagnose::diagnose({.buffer = out, .got = bytes, .poison = 0xFF, .wrong = wrong});
}

}  // namespace

TEST_CASE("integers that went through float are told from those that are off by one") {
  std::vector<int> expected, rounded, next;
  for (int i = 0; i < 8; ++i) {
    expected.push_back(i % 2 == 0 ? 40'000'001 + 14 * i : 1'000 + i);
    rounded.push_back(static_cast<int>(static_cast<float>(expected.back())));
    next.push_back(expected.back() + 1);
  }
  CHECK(diagnosis_of(expected, rounded).cause == diagnose::Cause::narrow_type);
  CHECK(diagnosis_of(expected, next).cause == diagnose::Cause::constant_offset);
}

TEST_CASE("one number where another is wanted everywhere is no common offset, and no missing cut") {
  CHECK(diagnosis_of({0, 0, 0, 0, 0}, {0, -7, -7, -7, -7}).cause != diagnose::Cause::constant_offset);
  CHECK(diagnosis_of({0, 0, 0, 0, 0}, {0, -7, -9, -4, -8}).cause != diagnose::Cause::not_cut_off);
}

TEST_CASE("of more than two axes the last two may be swapped in each slice") {
  Scene s({4, 8, 3});
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t place = i % 24, slice = i - place;
    s.got[i] = static_cast<float>(s.out.expected[slice + place % 8 * 3 + place / 8]);
  }
  const auto said = s.diagnosis();
  CHECK(said.cause == diagnose::Cause::swapped_axes);
  CHECK(contains(said.headline, "the last two axes"));
}
