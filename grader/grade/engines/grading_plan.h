// From submissions to units of work, and back from units to students.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/grade/collect/submissions.h"
#include "grader/grade/engines/grading.h"
#include "grader/grade/publish/policy.h"

namespace ladder::cli::grade {

struct GradingPlan {
  std::vector<const LessonInfo*> lessons;  ///< that count
  std::vector<std::string> keys;           ///< units, each once, in the order of the lessons
  /// The unit of a student's lesson, by student and lesson; missing where there is nothing to judge.
  std::map<std::pair<std::string, std::string>, std::string> unit_of;
};

/// Whether a file is still the skeleton, whatever its line ends.
bool is_untouched(const LessonInfo& lesson, const RungInfo& rung, const std::string& contents);

/// The lessons that count: the policy's, or those that somebody handed in a rung of.
std::vector<const LessonInfo*> lessons_that_count(const Course& course, const Policy& policy,
                                                  const std::vector<Submission>& submissions);

/// Makes the units and puts them and their sources into the work folder. Results that no person could learn
/// from (harness_failed) are removed, so that these units are tried again.
/// @param lessons  from lessons_that_count(), built
GradingPlan make_grading_plan(const Grading& grading, const std::vector<const LessonInfo*>& lessons,
                              const std::vector<Submission>& submissions);

}  // namespace ladder::cli::grade
