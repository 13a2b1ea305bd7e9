#include "grader/judge/explain/as_if.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>

using namespace ladder;

namespace {

/// An input of numbers 1, 2, 3, ... in a shape.
struct Counted {
  std::vector<float> values;
  Buffer input;
  explicit Counted(std::vector<std::int64_t> shape) {
    input.name = "in";
    input.shape = std::move(shape);
    values.resize(static_cast<std::size_t>(input.elements()));
    std::iota(values.begin(), values.end(), 1.0F);
    input.bytes = std::as_writable_bytes(std::span(values));
  }
  /// The elements of the reading with these words; empty where there is none.
  std::vector<float> reading(const std::string& words) const {
    for (const OtherReading& one : other_readings(input)) {
      if (one.words != words) continue;
      std::vector<float> elements(values.size());
      std::copy(one.bytes.begin(), one.bytes.end(), std::as_writable_bytes(std::span(elements)).begin());
      return elements;
    }
    return {};
  }
};

using Values = std::vector<float>;

}  // namespace

TEST_CASE("an input is read by columns, backwards, with its steps too narrow, and in part") {
  const Counted two({2, 3});
  CHECK(two.reading("one that is stored by columns, not by rows") == Values{1, 3, 5, 2, 4, 6});
  CHECK(two.reading("one whose last index runs backwards") == Values{3, 2, 1, 6, 5, 4});
  CHECK(two.reading("one that runs backwards").empty());  // the same as turning both indices round
  CHECK(two.reading("one transposed in its last two indices") == Values{6, 5, 4, 3, 2, 1});
  CHECK(two.reading("one whose step from row to row leaves out the 2nd extent (1 element, and not 3)") ==
        Values{1, 2, 3, 2, 3, 4});
  CHECK(two.reading("one in which every row is the first") == Values{1, 2, 3, 1, 2, 3});
  CHECK(two.reading("one with 0 as the first of each row") == Values{0, 2, 3, 0, 5, 6});
  CHECK(two.reading("one whose rows begin at their second element, with 0 at the end") ==
        Values{2, 3, 0, 5, 6, 0});
  CHECK(two.reading("one in which all elements of each pair are the first of it") ==
        Values{1, 1, 3, 3, 5, 5});
  const Counted planes({2, 2, 3});
  CHECK(planes.reading("one that is stored by its last index, a plane for each") ==
        Values{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12});
  const Counted row({1, 40});
  const Values part = row.reading("one with nothing behind the first 32 of each row");
  REQUIRE(part.size() == 40);
  CHECK(part[31] == 32);
  CHECK(part[32] == 0);
}

TEST_CASE("no reading is the input itself, and none is there twice") {
  for (const auto& shape :
       std::vector<std::vector<std::int64_t>>{{1}, {7}, {1, 1}, {1, 4}, {4, 1}, {3, 3}, {2, 1, 2, 5}}) {
    const Counted counted(shape);
    const auto readings = other_readings(counted.input);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      CHECK_FALSE(
          std::equal(readings[i].bytes.begin(), readings[i].bytes.end(), counted.input.bytes.begin()));
      for (std::size_t k = 0; k < i; ++k) CHECK(readings[i].bytes != readings[k].bytes);
    }
  }
}

TEST_CASE(
    "integers may be places in another array, and stay as they are; flags are turned round where both are "
    "there") {
  std::vector<int> places = {0, 4, 9};
  Buffer input;
  input.type = Type::i32;
  input.shape = {3};
  input.bytes = std::as_writable_bytes(std::span(places));
  CHECK(other_readings(input).empty());
  std::vector<std::uint8_t> flags = {1, 1, 1, 1, 1};
  input.shape = {5};
  input.type = Type::u8;
  input.bytes = std::as_writable_bytes(std::span(flags));
  const auto turned = [&] {
    const auto all = other_readings(input);
    return std::any_of(all.begin(), all.end(),
                       [](const auto& r) { return r.words == "one with 0 for 1, and 1 for 0"; });
  };
  CHECK_FALSE(turned());
  flags[2] = 0;
  CHECK(turned());
}
