// What a finding is about within its source line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/report/finding.h"

namespace ladder::cli {

/// Some bytes of a source line.
struct Marked {
  std::size_t line = 0;  ///< 0: the finding's own, 1: the next
  std::size_t begin = 0, length = 0;
  bool access = false;  ///< one access, such as `in[i + 1]`; else the statement
};

/// nvcc says where a statement starts, not where an access in it stands. Of the statement's accesses it is
/// the one with the finding's number, where the source has as many as the compiler made; else the only one of
/// the array that the finding names; else the only one that stores, or the only one that reads; else the
/// statement is marked.
/// @param lines  of the source, from the finding's on, as
/// many as its statement may have, with blanks for tabs
Marked marked_by(const sim::Finding& finding, const std::vector<std::string>& lines);

}  // namespace ladder::cli
