// Compiling rungs without CMake: what a package does, which has no build tree.
#pragma once

#include "grader/build/build.h"

namespace ladder::cli {

/// As build(), for rungs alone: with the flags that the package was made with, by the script that a
/// checkout's build uses. What was made of the same text, headers, flags and compiler is not made again;
/// finished rungs that the package brings compiled are taken from there. @throws Failure (environment) where
/// a compiler is missing or fails for another reason than the rung, Failure (interrupted)
BuildResult build_directly(const Project& project, const BuildRequest& request, TransientLine& progress);

/// Whether nvcc will find a compiler for the host's side. @throws Failure (environment), with how to get one
void expect_host_compiler();

}  // namespace ladder::cli
