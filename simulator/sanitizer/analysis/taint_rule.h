// How each instruction passes on values that nobody wrote.
#pragma once

#include "simulator/decode/code.h"

namespace sim::sanitizer {

enum class TaintRule : exec::u8 {
  compute,        ///< what it gives is tainted where one of its sources is
  copy,           ///< the same, and it remains what it was: perhaps padding, or a variable without a value
  select,         ///< only the source that is chosen counts
  product,        ///< of a warpgroup: sums count where it adds to them
  logic_and,      ///< of predicates: false and anything is false
  logic_or,       ///< of predicates: true or anything is true
  bits,           ///< of words: of a structure's padding, others do not matter
  shuffle,        ///< lanes without a value of their own read that of others
  load,           ///< memory tells what it gives
  store,          ///< memory keeps the taint, where it is on chip
  store_tile,     ///< the same of a matrix, which is more than bytes to pass on
  load_argument,  ///< from an argument or a result of a function
  store_argument,
  atomic,     ///< a use, and what it gives is not tainted
  reduction,  ///< a use
  branch,     ///< to one of several targets, by index: a use
  call,
  ret,
};

/// @param operands  of the decoded instruction
TaintRule taint_rule(const ptx::Instruction& in, std::size_t operands);

}  // namespace sim::sanitizer
