// What the compiler says of a rung, as a verdict.
#pragma once

#include <string>
#include <vector>

#include "grader/build/compiler_output.h"
#include "grader/course/course.h"
#include "grader/protocol/verdict.h"

namespace ladder::cli {

/// A verdict for a file that the compiler refused.
/// @param raw   the compiler's lines, for where no message was recognised in them
/// @param file  as a user would type it
Verdict refused_verdict(const LessonInfo& lesson, const RungInfo& rung,
                        const std::vector<CompilerMessage>& messages, const std::vector<std::string>& raw,
                        const std::string& file);

}  // namespace ladder::cli
