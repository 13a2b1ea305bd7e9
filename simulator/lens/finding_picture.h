// A finding as a picture: who meets whom at which word, or where beside an array an access goes.
#pragma once

#include <string>

#include "simulator/report/finding.h"

namespace sim::lens {

/// A race is two threads, two lines and one word, with what does not lie between them; an access out of
/// bounds is the array with the place past its edge; a mismatch of barriers is two threads at different
/// lines.
/// @return an SVG element in the colours of the page that it stands in; empty where there is nothing to draw
std::string svg_of(const Finding& finding);

/// What the parts of these pictures look like, as CSS, beside svg_colours().
const char* finding_style();

}  // namespace sim::lens
