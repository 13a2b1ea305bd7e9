#include "grader/judge/time_limit.h"

#include <algorithm>
#include <limits>

namespace ladder {

void TimeLimit::note(const CoreTime& since, Clock::time_point now) {
  had_.computed += since.computed;
  had_.waited += since.waited;
  const double elapsed = Seconds(now - begin_).count();
  const double used = std::max({elapsed - had_.waited, had_.computed, elapsed / kMostTimes});
  given_back_ = std::max(given_back_, Seconds(elapsed - used));
}

void TimeLimit::note_this_thread() {
  const CoreTime judge = core_time_of_this_thread();
  note({std::max(judge.computed - judge_.computed, 0.0), std::max(judge.waited - judge_.waited, 0.0)});
  judge_ = judge;
}

TimeLimit::Seconds TimeLimit::left(Clock::time_point now) const {
  if (seconds_ <= 0) return Seconds(std::numeric_limits<double>::infinity());
  return Seconds(seconds_) + given_back_ - Seconds(now - begin_);
}

}  // namespace ladder
