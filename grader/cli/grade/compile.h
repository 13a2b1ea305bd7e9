// Compiles a student's file in a cell, once for each distinct content.
#pragma once

#include <filesystem>
#include <string>

#include "grader/cli/course.h"
#include "grader/cli/grade/run.h"
#include "grader/harness/verdict.h"

namespace ladder::cli::grade {

struct Compiled {
  std::filesystem::path module;  ///< empty where the compiler refused
  Verdict refused;               ///< why
};

/// The rung's module, from the cache or newly made.
/// @param hash  sha256 of the file's contents, which lie in run.source(hash)
/// @param slot  see Cell
/// @throws Failure (environment) where the compiler cannot be run at all
Compiled compile(const Run& run, const LessonInfo& lesson, const RungInfo& rung, const std::string& hash,
                 int slot);

}  // namespace ladder::cli::grade
