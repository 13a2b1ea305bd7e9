// Tells how far a grading is: a bar on a terminal, now and then a line elsewhere.
#pragma once

#include <optional>
#include <string>

#include "grader/grade/engines/engine.h"
#include "grader/platform/terminal.h"

namespace ladder::cli::grade {

class Meter {
 public:
  explicit Meter(const Terminal& terminal) : terminal_(terminal), line_(terminal) {}
  void operator()(const EngineProgress& progress);
  void end() { line_.clear(); }

 private:
  const Terminal& terminal_;
  TransientLine line_;
  std::size_t done_before_ = 0;  ///< when this grading began
  bool begun_ = false;
  std::optional<double> told_at_;  ///< seconds
  bool told_end_ = false;
};

/// "about 4 min left", from the units that this grading has done so far; empty where nobody can say.
std::string time_left(std::size_t done_now, std::size_t left, double seconds);

}  // namespace ladder::cli::grade
