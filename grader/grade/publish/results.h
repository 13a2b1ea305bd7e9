// A student's result and the class's, as JSON; docs/schemas describes both.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/grade/engines/grading_plan.h"
#include "grader/platform/json_file.h"

namespace ladder::cli::grade {

/// What a student gets: docs/schemas/student-result.schema.json.
nlohmann::json student_result(const Grading& grading, const Policy& policy, const GradingPlan& plan,
                              const Submission& submission);

/// The class in numbers: docs/schemas/class-result.schema.json.
/// @param students  their results
nlohmann::json class_result(const Grading& grading, const Policy& policy,
                            const std::vector<nlohmann::json>& students);

/// Points to three decimals, as all results give them.
double rounded(double points);

/// A name for files that tells two students apart, also where small letters
/// and large ones are the same, and holds nothing but letters, digits, '.',
/// '_' and '-'. Short names of small letters and digits stay as they are.
std::string file_name_for(const std::string& student);

}  // namespace ladder::cli::grade
