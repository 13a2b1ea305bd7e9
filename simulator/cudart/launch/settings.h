// How launches run: what the environment said at first, then what a runner says.
#pragma once

#include "simulator/telemetry.h"

namespace sim::cudart {

/// The settings in force; the device's lock is held.
LaunchSettings& settings();

}  // namespace sim::cudart
