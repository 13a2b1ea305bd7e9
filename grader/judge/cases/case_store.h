// The cases of a lesson with their data, made once for all rungs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grader/judge/cases/check_case.h"
#include "grader/lesson/lesson.h"

namespace ladder {

/// A lesson's plugin, opened without any rung: its contract's function stays unresolved.
class LessonPlugin {
 public:
  /// @throws std::runtime_error when it cannot be opened or makes no lesson
  explicit LessonPlugin(const std::string& path);
  const Lesson& lesson() const { return *lesson_; }

 private:
  std::unique_ptr<Lesson> lesson_;
};

/// Makes cases on demand and keeps them while memory, and the limit on open files, permit.
class CaseStore {
 public:
  CaseStore(const Lesson& lesson, const Secret& secret);
  /// The case with its truth; the same data for every rung of this run.
  /// @throws std::runtime_error naming the case, when the lesson fails on it
  std::shared_ptr<PreparedCase> get(const Case& which);
  /// Whether that case is kept: holding it takes no more memory and files.
  bool keeps(const Case& which) const;
  /// Lets go of the cases kept: others are wanted from now on.
  void forget();
  /// The case with other values than get() gives it; never kept.
  std::shared_ptr<PreparedCase> make_other(const Case& which) const;
  /// The same as get(), never kept: for the many cases of shrinking.
  std::shared_ptr<PreparedCase> make(const Case& which) const;

 private:
  std::shared_ptr<PreparedCase> prepare(const Case& which, std::string_view values) const;
  const Lesson& lesson_;
  Secret secret_;
  std::size_t room_;   ///< bytes that may still be kept
  std::size_t files_;  ///< and open files
  struct Kept {
    std::string key;
    std::shared_ptr<PreparedCase> prepared;
    std::size_t bytes, files;
  };
  std::vector<Kept> kept_;
};

}  // namespace ladder
