// What is known about an array with wrong values, for the patterns to look at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/compare.h"
#include "grader/judge/diagnose/cause.h"
#include "grader/lesson/element.h"
#include "grader/lesson/lesson.h"

namespace ladder::diagnose {

/// One output after one run (or two), beside what was expected. Refers to arrays that outlive it.
struct Evidence {
  const Buffer& buffer;                ///< the output: type, shape, expected values, tolerance
  std::span<const std::byte> got;      ///< its bytes after the run that went wrong
  int poison = -1;                     ///< byte it was filled with before that run; -1 = it was not
  const Mismatches& wrong;             ///< of that run
  std::span<const std::byte> other{};  ///< its bytes after a run with another poison; empty if there was none
  int other_poison = -1;               ///< byte it was filled with before the other run
  /// Its bytes after one more run, the first of a fresh start; empty if there was none.
  std::span<const std::byte> again{};
  int again_poison = -1;              ///< byte it was filled with before that one: one of the other two
  std::span<const Buffer> buffers{};  ///< all arrays of the case
  /// Numbers that the function is given beside arrays and extents.
  std::span<const std::pair<std::string, double>> scalars{};
  std::int64_t block_threads = 0;  ///< threads of a block in the last launch, 0 where unknown (on a GPU)
  std::int64_t block_width = 0;    ///< of these in x

  std::int64_t size() const { return wrong.elements; }
  double value(std::int64_t index) const { return element_at(buffer.type, got.data(), index); }
  double other_value(std::int64_t index) const { return element_at(buffer.type, other.data(), index); }
  double again_value(std::int64_t index) const { return element_at(buffer.type, again.data(), index); }
  double expected(std::int64_t index) const { return buffer.expected[static_cast<std::size_t>(index)]; }
  bool is_right(std::int64_t index) const { return accepts(index, value(index)); }
  bool accepts(std::int64_t index, double value) const {
    return acceptable(expected(index), value, buffer.tolerance);
  }
  /// Whether the poison still stands there, after both runs where there were two.
  bool unwritten(std::int64_t index) const;
  /// Or what memory held that the rung has allocated, and the result was copied from: nobody has written that
  /// either.
  bool unwritten_anywhere(std::int64_t index) const;
  /// Whether an element's bytes are all @p byte after this run, and @p other_byte after the other one, where
  /// there was one.
  bool holds(std::int64_t index, int byte, int other_byte) const;
  /// Whether the wrong elements are one unbroken range.
  bool contiguous() const { return wrong.last - wrong.first + 1 == wrong.count; }
  /// Whether @p holds for nearly all (99 %) of the wrong elements that were kept. False when there are none.
  bool most_wrong(const std::function<bool(std::int64_t)>& holds) const;
};

/// A cause in words.
struct Diagnosis {
  Cause cause = Cause::unexplained;
  std::string headline;  ///< after "wrong values: "
  std::string advice;
  std::string of_case{};  ///< the label of the case that was looked at, where who asks has several
};

/// A pattern says what it recognises, or nothing.
using Pattern = std::optional<Diagnosis> (*)(const Evidence&);

/// The best explanation of wrong values: the first pattern that fits, else a plain count.
Diagnosis diagnose(const Evidence& evidence);

// The patterns of values/ and places/.
std::optional<Diagnosis> never_written(const Evidence& evidence);
std::optional<Diagnosis> partly_written(const Evidence& evidence);
std::optional<Diagnosis> other_bits(const Evidence& evidence);
std::optional<Diagnosis> old_contents(const Evidence& evidence);
std::optional<Diagnosis> changed_old_contents(const Evidence& evidence);
std::optional<Diagnosis> differs_between_runs(const Evidence& evidence);
std::optional<Diagnosis> start_left(const Evidence& evidence);
std::optional<Diagnosis> permuted_axes(const Evidence& evidence);
std::optional<Diagnosis> edges(const Evidence& evidence);
std::optional<Diagnosis> by_input_value(const Evidence& evidence);
std::optional<Diagnosis> some_unwritten(const Evidence& evidence);
std::optional<Diagnosis> input_copied(const Evidence& evidence);
std::optional<Diagnosis> swapped_axes(const Evidence& evidence);
std::optional<Diagnosis> shifted(const Evidence& evidence);
std::optional<Diagnosis> reversed(const Evidence& evidence);
std::optional<Diagnosis> partial_reduction(const Evidence& evidence);
std::optional<Diagnosis> wrapped_integer(const Evidence& evidence);
std::optional<Diagnosis> constant_factor(const Evidence& evidence);
std::optional<Diagnosis> constant_offset(const Evidence& evidence);
std::optional<Diagnosis> bits(const Evidence& evidence);
std::optional<Diagnosis> row_factors(const Evidence& evidence);
std::optional<Diagnosis> row_sums(const Evidence& evidence);
std::optional<Diagnosis> row_shares(const Evidence& evidence);
std::optional<Diagnosis> narrow_type(const Evidence& evidence);
std::optional<Diagnosis> low_precision(const Evidence& evidence);
std::optional<Diagnosis> all_zero(const Evidence& evidence);
std::optional<Diagnosis> all_nan(const Evidence& evidence);
std::optional<Diagnosis> range(const Evidence& evidence);
std::optional<Diagnosis> ragged_edge(const Evidence& evidence);
std::optional<Diagnosis> every_kth(const Evidence& evidence);
std::optional<Diagnosis> periodic(const Evidence& evidence);
std::optional<Diagnosis> bytes_for_elements(const Evidence& evidence);
std::optional<Diagnosis> unwritten_slices(const Evidence& evidence);
std::optional<Diagnosis> wrong_slices(const Evidence& evidence);
std::optional<Diagnosis> misplaced(const Evidence& evidence);
std::optional<Diagnosis> input_misindexed(const Evidence& evidence);
std::optional<Diagnosis> input_left_out(const Evidence& evidence);
std::optional<Diagnosis> infinite(const Evidence& evidence);
std::optional<Diagnosis> not_cut_off(const Evidence& evidence);
std::optional<Diagnosis> some_zero(const Evidence& evidence);
std::optional<Diagnosis> one_sided(const Evidence& evidence);

/// "1st", "2nd", "32nd".
std::string ordinal(std::int64_t k);
/// "elements [256] to [1022]", or "element [7]", in as many dimensions as the array has.
std::string range_in_words(const Buffer& buffer, std::int64_t first, std::int64_t last);
/// "[2][17]" for element 65 of a 3 x 24 array.
std::string subscript(const std::vector<std::int64_t>& shape, std::int64_t index);

/// "12", "0.5", "-3.25e+07", "NaN": a value with the digits its type has.
std::string number(Type type, double value);

/// A small array printed whole, of a larger one the first wrong elements: indices, expected, got.
std::string picture(const Evidence& evidence);

/// Whether picture() and inputs_in_words() show a case to the last element, so that it can be worked by hand.
bool is_shown_whole(const Evidence& evidence);

/// All inputs of a case, a line each; of long ones the beginning.
std::string inputs_in_words(const Problem& problem);

}  // namespace ladder::diagnose
