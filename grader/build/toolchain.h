// The compilers that the build was configured with.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/course/project.h"

namespace ladder::cli {

/// toolchain.json as CMake wrote it; an empty object where there is none.
nlohmann::json toolchain(const Project& project);

/// Where nvcc may lie, in order of preference: CMake's choice, CUDA_HOME, PATH, the usual folder.
std::vector<std::string> nvcc_candidates(const Project& project);

/// The first of nvcc_candidates() that exists. @throws Failure (environment), with how to get one
std::string find_nvcc(const Project& project);

}  // namespace ladder::cli
