// What is known about an array with wrong values, for the patterns to look at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/harness/compare.h"
#include "grader/harness/element.h"
#include "grader/harness/lesson.h"

namespace ladder::diagnose {

/// One output after one run (or two), beside what was expected. Refers to arrays that outlive it.
struct Evidence {
  const Buffer& buffer;            ///< the output: type, shape, expected values, tolerance
  std::span<const std::byte> got;  ///< its bytes after the first run with wrong values
  int poison = -1;                 ///< byte it was filled with before that run; -1 = it was not
  const Mismatches& wrong;         ///< of that run
  std::span<const std::byte>
      other;  ///< its bytes after the other run with another poison; empty if there was none
  std::span<const Buffer> buffers{};  ///< all arrays of the case
  std::int64_t block_threads = 0;     ///< threads of a block in the last launch, 0 where unknown (on a GPU)

  std::int64_t size() const { return wrong.elements; }
  double value(std::int64_t index) const { return element_at(buffer.type, got.data(), index); }
  double expected(std::int64_t index) const { return buffer.expected[static_cast<std::size_t>(index)]; }
  bool is_right(std::int64_t index) const {
    return acceptable(expected(index), value(index), buffer.tolerance);
  }
  /// Whether the wrong elements are one unbroken range.
  bool contiguous() const { return wrong.last - wrong.first + 1 == wrong.count; }
};

/// A cause in words.
struct Diagnosis {
  std::string headline;  ///< after "wrong values: "
  std::string advice;
};

/// A pattern says what it recognises, or nothing.
using Pattern = std::optional<Diagnosis> (*)(const Evidence&);

/// The best explanation of wrong values: the first pattern that fits, else a plain count.
Diagnosis diagnose(const Evidence& evidence);

// The patterns, most telling first within each file.
std::optional<Diagnosis> never_written(const Evidence& evidence);         // unwritten.cpp
std::optional<Diagnosis> partly_written(const Evidence& evidence);        // unwritten.cpp
std::optional<Diagnosis> old_contents(const Evidence& evidence);          // unstable.cpp
std::optional<Diagnosis> differs_between_runs(const Evidence& evidence);  // unstable.cpp
std::optional<Diagnosis> swapped_axes(const Evidence& evidence);          // placement.cpp
std::optional<Diagnosis> shifted(const Evidence& evidence);               // placement.cpp
std::optional<Diagnosis> input_copied(const Evidence& evidence);          // placement.cpp
std::optional<Diagnosis> partial_reduction(const Evidence& evidence);     // reduction.cpp
std::optional<Diagnosis> wrapped_integer(const Evidence& evidence);       // arithmetic.cpp
std::optional<Diagnosis> constant_factor(const Evidence& evidence);       // arithmetic.cpp
std::optional<Diagnosis> constant_offset(const Evidence& evidence);       // arithmetic.cpp
std::optional<Diagnosis> low_precision(const Evidence& evidence);         // arithmetic.cpp
std::optional<Diagnosis> all_zero(const Evidence& evidence);              // arithmetic.cpp
std::optional<Diagnosis> all_nan(const Evidence& evidence);               // arithmetic.cpp
std::optional<Diagnosis> first_block_only(const Evidence& evidence);      // extent.cpp
std::optional<Diagnosis> ragged_edge(const Evidence& evidence);           // extent.cpp
std::optional<Diagnosis> every_kth(const Evidence& evidence);             // extent.cpp

/// "12", "0.5", "-3.25e+07", "NaN": a value with the digits its type has.
std::string number(Type type, double value);

/// The wrong elements of a small array with their neighbours: indices, expected, got; a large one's first
/// few.
/// @param got     the array's bytes
std::string picture(const Buffer& buffer, std::span<const std::byte> got, int poison);

/// The inputs of a tiny case, a line each; empty when they do not fit a line.
std::string inputs_in_words(std::span<const Buffer> buffers);

}  // namespace ladder::diagnose
