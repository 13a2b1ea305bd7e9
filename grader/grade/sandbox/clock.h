// Whether a time that a student's process measured can be true, by the judge's own clock.
#pragma once

#include <string>

namespace ladder::cli::grade {

/// A rung's time as its process gave it, and what each launch took beside it by the judge's clock.
struct Clocked {
  double median_ms = 0;
  double beside_ms = 0;  ///< 0: unknown
};

/// Between two launches a process poisons the outputs and goes through the L2 cache, whatever the rung: what
/// a launch takes beside its time is the same for a rung and for the lesson's solution, timed in one run.
/// A process that says less than the truth has the rest beside; one that says that it launched more often
/// than it did has too little.
/// @return why the rung's time is not believed; empty where it may be true, or nothing is known
std::string doubt(const Clocked& rung, const Clocked& solution);

}  // namespace ladder::cli::grade
