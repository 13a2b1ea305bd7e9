// Descriptors that do not fit a box, put into words.
#pragma once

#include <span>

#include "simulator/report/finding.h"
#include "simulator/sanitizer/descriptors/box_layout.h"

namespace sim::sanitizer {

/// The finding's wgmma reads a factor in another way than the copy, the other party, wrote its box.
void render_mismatch(Finding& f, const exec::ProductFactor& factor, const Mismatch& mismatch,
                     std::span<const BoxLayout> boxes);

/// What would make them fit: fields of the descriptor, else the swizzle of the tensor map. Each field is
/// tried with the numbers that the box suggests.
/// @param box  the one that is read wrongly
Cure cure_of_mismatch(const exec::ProductFactor& factor, std::span<const BoxLayout> boxes, std::size_t box);

}  // namespace sim::sanitizer
