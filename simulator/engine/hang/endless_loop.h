// What an endless loop's condition compares, watched for some rounds after the kernel should have ended.
#pragma once

#include <string>

#include "simulator/engine/block.h"

namespace sim::exec {

struct EndlessLoop {
  std::string words;        ///< a sentence; empty: nothing that would say why
  bool below_zero = false;  ///< the loop's number has only negative values, as an int has that grew too large
};

/// Lets a warp that is running go on for some thousand instructions.
/// @param place  where the finding is
EndlessLoop watch_loop(Warp& w, const Finding& place);

}  // namespace sim::exec
