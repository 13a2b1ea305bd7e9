// An array with wrong values, for the patterns to be told.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::test {

/// An output of a lesson with what a rung left in it.
struct Scene {
  Buffer out;
  std::vector<float> got, other, again;
  std::vector<float> input;
  std::vector<Buffer> buffers;
  std::vector<std::pair<std::string, double>> scalars;
  int again_poison = -1;
  std::int64_t block_threads = 256;

  explicit Scene(std::vector<std::int64_t> shape) {
    out.name = "out";
    out.role = Buffer::Role::output;
    out.shape = std::move(shape);
    out.tolerance = {.absolute = 1e-6, .relative = 1e-6};
    const auto n = static_cast<std::size_t>(out.elements());
    out.expected.resize(n);
    Random(5).uniform(std::span(out.expected), 1, 9);
    for (double& value : out.expected) value = static_cast<float>(value);
    got.assign(out.expected.begin(), out.expected.end());
  }

  std::size_t size() const { return got.size(); }
  void unwrite(std::size_t i) { std::memset(&got[i], 0xFF, sizeof(float)); }

  /// @param shape  that of a vector where it is empty
  void add_input(std::vector<float> values, const std::string& name = "in",
                 std::vector<std::int64_t> shape = {}) {
    input = std::move(values);
    Buffer in;
    in.name = name;
    in.shape = shape.empty() ? std::vector{static_cast<std::int64_t>(input.size())} : std::move(shape);
    in.bytes = std::as_writable_bytes(std::span(input));
    buffers.push_back(in);
  }

  diagnose::Diagnosis diagnosis() {
    const auto bytes = std::as_bytes(std::span(got));
    const Mismatches wrong = compare(out, bytes, 0xFF);
    REQUIRE(wrong.count > 0);
    return diagnose::diagnose({.buffer = out,
                               .got = bytes,
                               .poison = 0xFF,
                               .wrong = wrong,
                               .other = std::as_bytes(std::span(other)),
                               .other_poison = 0x41,
                               .again = std::as_bytes(std::span(again)),
                               .again_poison = again_poison,
                               .buffers = buffers,
                               .scalars = scalars,
                               .block_threads = block_threads});
  }
};

inline bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace ladder::test
