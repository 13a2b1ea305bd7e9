// Registers of products that are under way, put into words.
#pragma once

#include "simulator/report/finding.h"

namespace sim::sanitizer {

/// A register that a product of a warpgroup works with while the program uses it.
struct PendingRegister {
  OtherParty product{};
  bool accumulator = false;  ///< else a fragment of A
  bool committed = false;    ///< the product's group
  bool by_product = false;   ///< what uses it is another product
};

/// The finding's own access comes before the product's group has been waited for.
void render_pending_register(Finding& f, const PendingRegister& p);

/// The finding's own write of a register that @p product works with, and no wgmma.fence between the two.
/// @param at_write  the finding is at the line of the write, else at the product's
void render_unfenced_register(Finding& f, const OtherParty& product, bool accumulator, bool at_write);

/// A wgmma of a warpgroup that has not passed a wgmma.fence yet.
void render_first_product_unfenced(Finding& f);

}  // namespace sim::sanitizer
