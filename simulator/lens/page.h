// The lens as a page: one self-contained HTML file, source at the left, pictures at the right.
#pragma once

#include <string>
#include <vector>

#include "simulator/report.h"

namespace sim::lens {

/// @param title    of the page
/// @param kernels  launches to show, one section each
/// @param text     of their source file, by line; may be empty
std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const std::vector<std::string>& text);

/// A picture of one access as an SVG element, in the page's colours (CSS classes of the page).
std::string svg_of(const AccessRecord& access);

}  // namespace sim::lens
