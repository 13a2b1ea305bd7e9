#include "grader/judge/cases/touched.h"

#include <catch2/catch_test_macros.hpp>

namespace {

ladder::Buffer floats(std::int64_t n) {
  ladder::Buffer array;
  array.shape = {n};
  return array;
}

/// The pages with these elements of an array of floats.
ladder::Touched pages_of(std::initializer_list<std::int64_t> elements) {
  ladder::Touched touched;
  for (const std::int64_t e : elements) touched.push_back({e * 4 / 4096 * 4096, 4096});
  return touched;
}

constexpr std::int64_t kInt = ladder::kCountedByInt;

}  // namespace

TEST_CASE("a part of a giant array that no block has come to is found") {
  const ladder::Buffer array = floats(3 * kInt);
  CHECK(!ladder::untouched_part(pages_of({5, kInt, 3 * kInt - 1}), array));
  const auto middle = ladder::untouched_part(pages_of({5, kInt - 1, 2 * kInt}), array);
  REQUIRE(middle);
  CHECK(middle->first == kInt);
  CHECK(middle->last == 2 * kInt - 1);
  CHECK(ladder::untouched_part({}, array)->first == 0);
}

TEST_CASE("the end of a giant array counts as a part, but for a few elements") {
  CHECK(ladder::untouched_part(pages_of({5, kInt}), floats(2 * kInt + 105'000'000))->first == 2 * kInt);
  CHECK(!ladder::untouched_part(pages_of({5, kInt}), floats(2 * kInt + 1000)));
}

TEST_CASE("a short array beside giant ones is a part as well, and an empty one is none") {
  CHECK(ladder::untouched_part({}, floats(7)));
  CHECK(!ladder::untouched_part(pages_of({0}), floats(7)));
  CHECK(!ladder::untouched_part({}, floats(0)));
}

TEST_CASE("an index of 32 bits comes to element 2^32 - 1 and not to the next") {
  const ladder::Buffer array = floats(2 * kInt + 105'000'000);
  CHECK(ladder::is_read_by_32_bits(pages_of({0, 2 * kInt - 1}), array));
  CHECK(!ladder::is_read_by_32_bits(pages_of({0, 2 * kInt - 1, 2 * kInt + 1}), array));
  CHECK(!ladder::is_read_by_32_bits(pages_of({0, kInt}), array));  // stopped on the way
  CHECK(!ladder::is_read_by_32_bits(pages_of({0, kInt - 1}), floats(kInt)));
}
