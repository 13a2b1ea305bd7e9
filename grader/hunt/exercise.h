// Exercises of `ladder hunt`: a kernel with one mistake, to be found and mended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/project.h"
#include "grader/hunt/mutant.h"

namespace ladder::hunt {

struct Exercise {
  const cli::LessonInfo* lesson = nullptr;
  const cli::RungInfo* rung = nullptr;  ///< whose solution was spoilt
  Mutant mutant;
  std::string
      number;  ///< "h3f2a", by the mutant's name: it stays when others are added, and gives nothing away

  std::string id() const { return lesson->id() + "." + number; }  ///< "05.h3f2a"
  const Lesson& what() const { return *mutant.hunt; }
};

/// A file to hand out, and which of its lines are wrong.
struct Handout {
  std::string text;
  std::vector<int> lines;  ///< from 1; of something that is missing the lines around its place
};

/// All exercises, by lesson and number. @throws cli::Failure (environment) where a description cannot be read
std::vector<Exercise> load_exercises(const cli::Project& project, const cli::Course& course);

/// The spoilt solution without its comments and markers.
/// @throws cli::Failure (environment) where the solution has changed and the mistake has no place in it any
/// more
Handout hand_out(const Exercise& exercise);

/// @p source without comments, the lines that held nothing else, and the marks of exercises; characters below
/// ' ' that are no white space stay wherever they stand.
std::string without_comments(std::string_view source);

/// Where a student mends it: hunts/05_transpose/2_shared_tile.h3f2a.cu.
std::filesystem::path file_of(const cli::Project& project, const Exercise& exercise);

/// The exercise of an id such as 05.h3f2a. @throws cli::Failure (usage) where there is none
const Exercise& find_exercise(const std::vector<Exercise>& exercises, std::string_view id);

}  // namespace ladder::hunt
