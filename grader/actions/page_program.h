// The program that makes and serves the page, which `serve`, `read` and `watch --page` start.
#pragma once

#include <string>
#include <vector>

#include "grader/course/project.h"

namespace ladder::cli {

/// Its command line, ready to be started. @param words  "serve" or "read", and what follows
/// @throws Failure (environment) where it was not built
std::vector<std::string> page_program(const Project& project, const std::vector<std::string>& words);

}  // namespace ladder::cli
