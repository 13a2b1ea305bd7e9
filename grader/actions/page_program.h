// The program that makes and serves the page, which `serve`, `read`, `watch --page` and `dev site` start.
#pragma once

#include <string>
#include <vector>

#include "grader/course/project.h"
#include "grader/platform/failure.h"

namespace ladder::cli {

/// Its command line, ready to be started. @param words  "serve", "read" or "site", and what follows
/// @throws Failure (environment) where it was not built
std::vector<std::string> page_program(const Project& project, const std::vector<std::string>& words);

/// Becomes that program. @throws Failure (environment)
ExitCode become_page_program(const Project& project, const std::vector<std::string>& words);

}  // namespace ladder::cli
