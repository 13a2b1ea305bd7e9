// Compiles a student's file in a cell, once for each distinct content.
#pragma once

#include <filesystem>
#include <string>

#include "grader/course/course.h"
#include "grader/grade/engines/grading.h"
#include "grader/protocol/verdict.h"

namespace ladder::cli::grade {

struct Compiled {
  std::filesystem::path module;  ///< empty where there is none
  Verdict refused;               ///< why: the file's fault (build_failed) or the machine's (harness_failed)
};

/// The rung's module, from the cache or newly made. Where it is not the file that is to blame, the compiler
/// is started again a few times; what a machine in trouble says is neither a verdict on the file nor kept.
/// @param hash  sha256 of the file's contents, which lie in run.source(hash)
/// @throws Failure
Compiled compile(const Grading& grading, const LessonInfo& lesson, const RungInfo& rung,
                 const std::string& hash);

}  // namespace ladder::cli::grade
