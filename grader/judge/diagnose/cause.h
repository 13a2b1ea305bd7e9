// What a diagnosis of wrong values says, for programs: tests pin it, and a class's results are counted by it.
#pragma once

namespace ladder::diagnose {

enum class Cause {
  unexplained,  ///< no pattern fits
  // Not written.
  nothing_written,
  first_element_only,
  first_block_only,    ///< written or right: as many elements as one block has threads
  bytes_for_elements,  ///< one part in sizeof(element) arrived
  tail_unwritten,
  every_kth_unwritten,
  some_unwritten,   ///< and all that is wrong is unwritten
  mixed_unwritten,  ///< some of what is wrong is unwritten, the rest holds wrong values
  // What came from before.
  added_to_old_contents,
  kept_between_calls,  ///< right in the first call of a process
  differs_between_runs,
  depends_on_old_contents,  ///< another result for other old contents, and the same for the same
  // Right values in wrong places.
  input_copied,
  swapped_axes,
  permuted_axes,  ///< an input with its axes in another order than the one that is wanted
  shifted,
  reversed,
  misplaced,  ///< values that belong to other elements
  // A rule of arithmetic.
  partial_reduction,  ///< the fold of a part of the input
  all_zero,
  some_zero,
  all_nan,
  infinite,
  start_left,  ///< what a maximum or a minimum starts with
  wrapped_integer,
  bits_too_many,  ///< of words that are sets of bits
  bits_missing,
  row_factors,  ///< each row by a factor of its own
  row_sums,     ///< rows of shares that have another sum than 1
  row_shares,   ///< rows of shares that have it, and wrong elements
  constant_factor,
  constant_offset,
  other_bits,        ///< the right numbers, where every bit counts
  input_misindexed,  ///< the wrong element of an input takes part
  input_left_out,    ///< off by an input's element: left out, or taken twice
  other_input,       ///< the right result for an input that is read otherwise
  narrow_type,
  low_precision,
  not_cut_off,  ///< negative where 0 is wanted
  too_small,    ///< all of one sign: something is left out ...
  too_large,    ///< ... or counted too often
  // Where the wrong elements lie.
  slices,    ///< whole rows, columns or slices
  periodic,  ///< some of every 32, 64, ...: lanes of each warp, threads of each block
  ragged_edge,
  every_kth,
  tail,
  beginning,
  from_there_on,  ///< only the beginning is right
  stretch,
  edges,           ///< some of the first or last row or column, and nothing else
  by_input_value,  ///< where an input's element at the same place lies in a range
  // Which cases are wrong.
  by_case,  ///< an extent, or how extents lie to each other, decides
};

/// Whether a cause says how much is wrong, or in which direction, and no more.
bool is_weak(Cause cause);
/// Whether it says where the wrong elements lie, and no more.
bool is_place(Cause cause);
/// Whether a rule found in a smaller case explains more: small errors may be its trace, and these places are
/// where anything may lie.
bool yields_to_a_rule(Cause cause);

/// "tail_unwritten": the enumerator's name.
const char* to_string(Cause cause);

}  // namespace ladder::diagnose
