// The time that a rung has, for all its processes together.
#pragma once

#include <chrono>

#include "grader/platform/process/process_tree.h"

namespace ladder {

/// A limit by the wall's clock that does not count what a rung's processes waited for a core: on a machine
/// that others load, an honest rung is not to end for it. At most kMostTimes as long as the limit says, and
/// no time that the processes computed is given back: who loads the machine gains nothing.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  static constexpr double kMostTimes = 4;

  /// @param seconds  0: without a limit
  explicit TimeLimit(double seconds = 0, Clock::time_point begin = Clock::now())
      : begin_(begin), seconds_(seconds) {}

  /// Notes what processes of the rung had of the cores.
  void note(const CoreTime& since, Clock::time_point now = Clock::now());
  /// Notes what the calling thread had of them, the judge's own: what it does in between counts, too.
  void note_this_thread();
  /// How much does not count of the time since the beginning; never less than it was.
  Seconds given_back() const { return given_back_; }

  double seconds() const { return seconds_; }
  /// Until the end, which moves when more is given back; infinite without a limit.
  Seconds left(Clock::time_point now = Clock::now()) const;
  bool over() const { return left() <= Seconds::zero(); }

 private:
  Clock::time_point begin_;
  double seconds_;
  CoreTime had_;
  CoreTime judge_ = core_time_of_this_thread();
  Seconds given_back_{0};
};

}  // namespace ladder
