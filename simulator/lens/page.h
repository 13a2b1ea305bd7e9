// The lens as a page: one self-contained HTML file, source at the left, pictures at the right.
#pragma once

#include <string>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// @param title    of the page
/// @param kernels  launches to show, one section each
/// @param sources  of their lines; files that are not there are left out
std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const Sources& sources);

/// Findings as pictures, one section each; empty where none can be drawn.
std::string page_of(const std::string& title, const std::vector<Finding>& findings);

/// What the parts of figures look like, as CSS; their colours are svg_colours().
std::string figures_style();

/// The pictures of one launch for another page, which brings svg_colours() and figures_style(). Each stands
/// in a `div` of the class "figure", whose heading links to "#skNfFlLINE": launch, file and line, of which
/// file 0 is the kernel's own.
/// @param number  of the launch on that page
std::string figures_of(const KernelRecord& kernel, const Sources& sources, std::size_t number);

}  // namespace sim::lens
