// The lens as a page: one self-contained HTML file, source at the left, pictures at the right.
#pragma once

#include <string>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// @param title    of the page
/// @param kernels  launches to show, one section each
/// @param sources  of their lines; files that are not there are left out
std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const Sources& sources);

}  // namespace sim::lens
