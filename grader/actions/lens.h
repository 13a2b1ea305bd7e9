// Running a rung for the lens, and showing what it saw.
#pragma once

#include <filesystem>

#include "grader/present/lens_view.h"
#include "grader/run/context.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// Runs the first selected rung on the simulator, with a trace of a warp.
/// @throws Failure (environment) when it could not be run
RungResult look_at(Context& context, const Selection& selection, Side side);

/// Runs a rung on the simulator, shows what its warps did and writes the page.
/// @param page  where to; empty: among the project's state
/// @param part  what is shown in the terminal; the page has all
ExitCode show_lens(Context& context, const Selection& selection, Side side, std::filesystem::path page,
                   LensPart part);

}  // namespace ladder::cli
