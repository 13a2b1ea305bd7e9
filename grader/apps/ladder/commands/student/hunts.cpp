#include "grader/apps/ladder/commands/student/hunts.h"

#include "grader/course/edition.h"
#include "grader/hunt/exercise.h"
#include "grader/hunt/hunt_log.h"
#include "grader/platform/failure.h"

namespace ladder::cli {

HuntCounts hunt_counts(Context& context) {
  HuntCounts counts;
  if (!has_solutions(context.project())) return counts;
  try {
    const hunt::HuntLog log(context.project());
    for (const hunt::Exercise& exercise : hunt::load_exercises(context.project(), context.course())) {
      const hunt::Hunted hunted = log.of(exercise);
      HuntCount& count = counts[exercise.lesson];
      ++count.all;
      count.found += hunted.found || hunted.mended;
      count.mended += hunted.mended;
    }
  } catch (const Failure&) {  // the map is none the worse for it
    counts.clear();
  }
  return counts;
}

}  // namespace ladder::cli
