// A ladder as a picture: one row a rung, time from left to right, with what its measurements scattered.
#pragma once

#include <string>
#include <vector>

#include "grader/protocol/verdict.h"

namespace ladder::cli {

struct ChartRow {
  std::string label;  ///< "3 padded"
  Timing timing;      ///< times of 0 or less are left out
};

/// The picture as an SVG element, in the colours of the page it stands in (CSS classes bar, spread, grid,
/// value). The axis is logarithmic where the rows differ more than tenfold.
/// @param description  for those who do not see it
std::string ladder_chart(const std::vector<ChartRow>& rows, const std::string& description);

}  // namespace ladder::cli
