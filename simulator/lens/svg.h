// The lens's pictures as SVG: within a page, or as a file by itself.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "simulator/lens/markup.h"
#include "simulator/lens/picture.h"
#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// A picture of one access as an SVG element, in the colours of the page that it stands in.
std::string svg_of(const AccessRecord& access);

/// The traced warp as an SVG element: time runs down, a column for each lane.
/// @param main_file  whose lines need no file name
std::string svg_of(const std::vector<TraceStep>& trace, const std::string& main_file);

/// All of the traced warp at a glance as an SVG element: time runs right, a row for each lane.
std::string svg_of(const Activity& activity);

/// The colours of the pictures, light and dark, as CSS.
std::string svg_colours();
/// What the pictures' parts look like, as CSS.
const char* svg_style();

/// One picture of a file, with its heading: an access, or a warp at a glance.
struct Panel {
  std::string heading;
  std::variant<AccessRecord, Activity> shown;
};
/// Pictures one under the other: a file by itself, with its own colours.
/// @param title  said to those who cannot see the picture
std::string svg_file(const std::string& title, const std::vector<Panel>& panels);

}  // namespace sim::lens
