#pragma once

#include <vector>

#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// Hands results on in the lesson's order, whether they come from the compiler or from the runner.
class ResultsInOrder {
 public:
  /// Refers to all that it is given.
  ResultsInOrder(const Selection& selection, LessonRunResult& result, const LessonRunEvents& events)
      : selection_(selection), result_(result), events_(events) {}

  /// The result of a rung that the compiler refused: handed on when its turn comes.
  void expect_refused(RungResult refused) { refused_.push_back(std::move(refused)); }
  /// The runner's next result, after those that the compiler refused before it.
  void take(RungResult next);
  /// Hands on all that are left.
  void flush() { flush_before(nullptr); }

 private:
  void flush_before(const RungInfo* rung);
  void emit(RungResult next);

  const Selection& selection_;
  LessonRunResult& result_;
  const LessonRunEvents& events_;
  std::vector<RungResult> refused_;
};

}  // namespace ladder::cli
