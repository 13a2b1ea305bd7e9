// Times of rungs as they were last measured in this checkout,
// for pictures that put rungs of many runs side by side.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/course/course.h"
#include "grader/records/roofline.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// Keeps the times of the rungs that passed, and the peaks, in FOLDER/times.json, by device and by side. A
/// run without times changes nothing; a file that cannot be read is begun anew. Two processes at once lose
/// nothing of each other's.
/// @param folder  the checkout's .ladder; need not exist
void keep_times(const std::filesystem::path& folder, const LessonRunResult& result, const LessonInfo& lesson,
                Side side);

/// Which devices' times are asked for.
enum class Kept {
  measured,  ///< a GPU's
  modelled,  ///< the simulator's
  best       ///< a GPU's, or where none was used the simulator's
};

/// All kept rungs that the course still has, under the roof of their device; of several devices the one with
/// the most rungs. What was kept under a former name of a rung counts.
/// @return nothing where no time was kept for that side
std::optional<Roofline> kept_roofline(const std::filesystem::path& folder, const Course& course, Side side,
                                      Kept which = Kept::best);

/// What the lessons' measured.json hold; of several devices the one with the most rungs.
/// @return nothing where no lesson has one
std::optional<Roofline> recorded_roofline(const Course& course);

}  // namespace ladder::cli
