// Which of two lines a thread comes to again only in the next round of a loop.
#pragma once

#include "simulator/decode/code.h"
#include "simulator/report/finding.h"

namespace sim::sanitizer {

/// Whether a barrier of the block or of the warp stands between two lines of a loop, so that an access at
/// @p there which meets one at @p here, further up, meets that of the next round.
bool is_met_next_round(const exec::Code& code, const SourceLine& there, const SourceLine& here);

}  // namespace sim::sanitizer
