// One verdict told in full: what is wrong, where, why, and what to type next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/build/build.h"
#include "grader/course/course.h"
#include "grader/course/text/skeleton.h"
#include "grader/platform/terminal.h"
#include "grader/run/runner.h"

namespace ladder::cli {

/// Everything a verdict's block is made of.
struct VerdictView {
  const LessonInfo& lesson;
  const RungInfo& rung;
  const Verdict& verdict;
  std::string file;              ///< the source as a user would type it
  std::vector<Todo> open_todos;  ///< tasks that are still untouched
  bool solution = false;         ///< it was the solution that ran
};

/// The block below a failed rung, or the few lines for one that passed alone.
std::vector<std::string> verdict_block(const VerdictView& view, const Terminal& terminal);

/// "1.52 ms at n=1024, 84 % of the speed of light, bound by DRAM".
std::string timing_sentence(const Timing& timing, const Terminal& terminal);

/// "TODO(1) and TODO(2) are still to do"; empty where none is.
std::string todo_sentence(const std::vector<Todo>& todos);

/// Counters of the timed launches in words, for one that passed: "4.0 sectors a global load request, …"; may
/// be empty.
std::vector<std::string> counter_lines(const std::vector<sim::KernelRecord>& kernels);

}  // namespace ladder::cli
