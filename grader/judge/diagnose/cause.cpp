#include "grader/judge/diagnose/cause.h"

#include <utility>

namespace ladder::diagnose {
namespace {

constexpr std::pair<Cause, const char*> kCauses[] = {
    {Cause::unexplained, "unexplained"},
    {Cause::nothing_written, "nothing_written"},
    {Cause::first_element_only, "first_element_only"},
    {Cause::first_block_only, "first_block_only"},
    {Cause::bytes_for_elements, "bytes_for_elements"},
    {Cause::tail_unwritten, "tail_unwritten"},
    {Cause::every_kth_unwritten, "every_kth_unwritten"},
    {Cause::some_unwritten, "some_unwritten"},
    {Cause::mixed_unwritten, "mixed_unwritten"},
    {Cause::depends_on_old_contents, "depends_on_old_contents"},
    {Cause::added_to_old_contents, "added_to_old_contents"},
    {Cause::kept_between_calls, "kept_between_calls"},
    {Cause::differs_between_runs, "differs_between_runs"},
    {Cause::input_copied, "input_copied"},
    {Cause::swapped_axes, "swapped_axes"},
    {Cause::permuted_axes, "permuted_axes"},
    {Cause::shifted, "shifted"},
    {Cause::reversed, "reversed"},
    {Cause::misplaced, "misplaced"},
    {Cause::partial_reduction, "partial_reduction"},
    {Cause::all_zero, "all_zero"},
    {Cause::some_zero, "some_zero"},
    {Cause::all_nan, "all_nan"},
    {Cause::infinite, "infinite"},
    {Cause::start_left, "start_left"},
    {Cause::wrapped_integer, "wrapped_integer"},
    {Cause::bits_too_many, "bits_too_many"},
    {Cause::bits_missing, "bits_missing"},
    {Cause::row_factors, "row_factors"},
    {Cause::row_sums, "row_sums"},
    {Cause::row_shares, "row_shares"},
    {Cause::constant_factor, "constant_factor"},
    {Cause::constant_offset, "constant_offset"},
    {Cause::other_bits, "other_bits"},
    {Cause::input_misindexed, "input_misindexed"},
    {Cause::input_left_out, "input_left_out"},
    {Cause::other_input, "other_input"},
    {Cause::narrow_type, "narrow_type"},
    {Cause::low_precision, "low_precision"},
    {Cause::not_cut_off, "not_cut_off"},
    {Cause::too_small, "too_small"},
    {Cause::too_large, "too_large"},
    {Cause::slices, "slices"},
    {Cause::periodic, "periodic"},
    {Cause::ragged_edge, "ragged_edge"},
    {Cause::every_kth, "every_kth"},
    {Cause::tail, "tail"},
    {Cause::beginning, "beginning"},
    {Cause::from_there_on, "from_there_on"},
    {Cause::stretch, "stretch"},
    {Cause::edges, "edges"},
    {Cause::by_input_value, "by_input_value"},
    {Cause::by_case, "by_case"},
};

}  // namespace

bool is_weak(Cause cause) {
  using enum Cause;
  return cause == unexplained || cause == too_small || cause == too_large || cause == misplaced;
}

bool is_place(Cause cause) {
  using enum Cause;
  return cause == slices || cause == ragged_edge || cause == every_kth || cause == periodic ||
         cause == tail || cause == beginning || cause == from_there_on || cause == stretch ||
         cause == edges || cause == first_element_only;
}

bool yields_to_a_rule(Cause cause) {
  using enum Cause;
  return cause == low_precision || cause == edges || cause == by_input_value;
}

const char* to_string(Cause cause) {
  for (const auto& [value, name] : kCauses)
    if (value == cause) return name;
  return "?";
}

}  // namespace ladder::diagnose
