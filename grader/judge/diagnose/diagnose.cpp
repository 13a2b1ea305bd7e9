#include <fmt/format.h>

#include <algorithm>

#include "grader/judge/diagnose/evidence.h"
#include "grader/worker/guard.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

bool filled_with(std::span<const std::byte> bytes, int byte) {
  return byte >= 0 && std::all_of(bytes.begin(), bytes.end(),
                                  [&](std::byte b) { return b == static_cast<std::byte>(byte); });
}

// In this order: first what needs no look at values, then what
// explains every wrong value exactly, then where they lie.
constexpr Pattern kPatterns[] = {
    never_written,
    other_bits,
    bytes_for_elements,
    old_contents,
    unwritten_slices,
    partly_written,
    changed_old_contents,
    partial_reduction,
    start_left,
    permuted_axes,
    input_copied,
    all_zero,
    swapped_axes,
    shifted,
    reversed,
    narrow_type,
    constant_factor,
    constant_offset,
    wrapped_integer,
    bits,
    row_factors,
    low_precision,
    input_left_out,
    input_misindexed,
    differs_between_runs,
    some_unwritten,
    all_nan,
    infinite,
    row_sums,
    not_cut_off,
    misplaced,
    row_shares,
    wrong_slices,
    ragged_edge,
    every_kth,
    range,
    edges,
    periodic,
    some_zero,
    by_input_value,
    one_sided,
};

}  // namespace

std::string ordinal(std::int64_t k) {
  const std::int64_t last = k % 10;
  const bool teen = k / 10 % 10 == 1;
  if (teen || last == 0 || last > 3) return tr("{}th", k);
  return last == 1 ? tr("{}st", k) : last == 2 ? tr("{}nd", k) : tr("{}rd", k);
}

bool Evidence::holds(std::int64_t index, int byte, int other_byte) const {
  const std::size_t bytes = size_of(buffer.type);
  const std::size_t at = static_cast<std::size_t>(index) * bytes;
  return filled_with(got.subspan(at, bytes), byte) &&
         (other.empty() || filled_with(other.subspan(at, bytes), other_byte));
}

bool Evidence::unwritten(std::int64_t index) const { return holds(index, poison, other_poison); }

bool Evidence::unwritten_anywhere(std::int64_t index) const {
  return unwritten(index) || holds(index, kNewMemory, kNewMemory);
}

bool Evidence::most_wrong(const std::function<bool(std::int64_t)>& holds) const {
  const auto enough = wrong.kept.size() - wrong.kept.size() / 100;
  std::size_t found = 0;
  for (std::size_t i = 0; i < wrong.kept.size(); ++i) {
    if (holds(wrong.kept[i])) ++found;
    if (found + (wrong.kept.size() - 1 - i) < enough) return false;
  }
  return !wrong.kept.empty();
}

Diagnosis diagnose(const Evidence& evidence) {
  for (const Pattern pattern : kPatterns)
    if (auto diagnosis = pattern(evidence)) return *diagnosis;
  return {
      Cause::unexplained,
      tr("{} of {} elements of '{}' are wrong", evidence.wrong.count, evidence.size(), evidence.buffer.name),
      tr("Follow one wrong element through the kernel: which thread writes it, from which inputs?")};
}

}  // namespace ladder::diagnose
