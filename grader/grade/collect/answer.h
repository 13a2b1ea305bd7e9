// A submission as text, for the way from the process that read it.
#pragma once

#include <string>
#include <string_view>

#include "grader/grade/collect/submissions.h"

namespace ladder::cli::grade {

/// What a process found, in one line.
std::string answer_of(const Submission& submission);

/// Reads it, and believes nothing that it need not: lessons and rungs are looked up, files' hashes counted
/// anew, and all that collector.h bounds is held against its bounds.
/// @throws Failure (environment) where the process cannot have meant it
void take_answer(std::string_view answer, const Course& course, Submission& into);

}  // namespace ladder::cli::grade
