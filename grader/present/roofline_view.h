// The roofline as a picture.
#pragma once

#include <string>

#include "grader/records/roofline.h"

namespace ladder::cli {

/// The picture as a whole SVG file: both axes logarithmic; what only moves data stands in a strip at the
/// left, whose height is the share of memory's peak.
/// @return text that begins with `<svg`; text in it is escaped
std::string roofline_svg(const Roofline& roofline);

}  // namespace ladder::cli
