// Running a rung for the lens.
#pragma once

#include "grader/apps/ladder/commands/commands.h"
#include "grader/run/session.h"

namespace ladder::cli {

/// Runs the first selected rung on the simulator, with a trace of a warp.
/// @throws Failure (environment) when it could not be run
RungResult look_at(Context& context, const Selection& selection, Side side);

}  // namespace ladder::cli
