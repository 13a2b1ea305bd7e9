// A finding as a picture, for a page or a terminal.
#pragma once

#include <string>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/finding.h"

namespace sim::lens {

/// @param sources  whose lines are shown, as they were when it was found
/// @return an SVG element in the colours of the page that it stands in; empty where there is nothing to draw
std::string svg_of(const Finding& finding, const Sources& sources = {});

/// @return lines, at most 80 columns wide where names are short; none where there is nothing to draw
std::vector<std::string> text_of(const Finding& finding, const TextStyle& style);

/// What the parts of the SVG pictures look like, as CSS, beside svg_colours().
const char* finding_style();

}  // namespace sim::lens
