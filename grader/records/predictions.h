// What a student predicted of a rung, and what came of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/progress.h"

namespace ladder::cli {

/// A question of a lesson with its two answers.
struct Prediction {
  const Question* question = nullptr;
  std::optional<double> said;   ///< by the student
  std::optional<double> found;  ///< counted in the student's own rung, or as the lesson works it out; nothing
                                ///< as long as the rung was not right on the simulator
  bool answered() const { return said && found; }
};

/// Of one rung, in the order of lesson.toml.
std::vector<Prediction> predictions_of(const std::filesystem::path& state, const Progress& progress,
                                       const LessonInfo& lesson, const RungInfo& rung);

/// "exact", "12 % too high", "4 times too low", "far too high": how what was said stands to what was found.
std::string how_far_off(double said, double found);

/// "32", "0.51", "1,048,576": up to four digits where it is no whole number.
std::string number_text(double value);

/// A number as a person types it: "1,048,576", "0.5", "5e8", "1/4".
/// @return nothing where it is none
std::optional<double> number_from(std::string text);

}  // namespace ladder::cli
