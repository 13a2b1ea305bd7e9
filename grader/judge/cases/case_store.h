// The cases of a lesson with their data, made once for all rungs.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "grader/judge/cases/check_case.h"
#include "grader/lesson/lesson.h"

namespace ladder {

/// A lesson's plugin, opened without any rung: its contract's function stays unresolved.
class LessonPlugin {
 public:
  /// @param blank_page  whether the lesson's blank page is wanted as well, from the plugin beside
  /// @throws std::runtime_error when one cannot be opened or makes no lesson
  LessonPlugin(const std::string& path, bool blank_page);
  const Lesson& lesson() const { return *lesson_; }

 private:
  std::unique_ptr<Lesson> lesson_;
};

/// Makes cases on demand, or ahead of it, and keeps them while memory, and the limit on open files, permit.
class CaseStore {
 public:
  CaseStore(const Lesson& lesson, const Secret& secret);
  /// Makes these one after the other in a thread of its own: while a rung runs a case, the next one's truth
  /// is computed. Ends where there is no room to keep more. To be called once.
  void make_ahead(std::vector<Case> coming);
  /// The case with its truth; the same data for every rung of this run.
  /// @throws std::runtime_error naming the case, when the lesson fails on it
  std::shared_ptr<PreparedCase> get(const Case& which);
  /// Whether that case is kept: holding it takes no more memory and files.
  bool keeps(const Case& which) const;
  /// Lets go of the cases that were asked for: others are wanted from now on.
  void forget();
  /// The case with other values than get() gives it; never kept.
  std::shared_ptr<PreparedCase> make_other(const Case& which) const;
  /// The same as get(), never kept: for the many cases of shrinking.
  std::shared_ptr<PreparedCase> make(const Case& which) const;

 private:
  std::shared_ptr<PreparedCase> prepare(const Case& which, std::string_view values) const;
  struct Kept {
    std::string key;
    std::shared_ptr<PreparedCase> prepared;
    std::size_t bytes, files;
    bool asked_for = false;
  };
  /// What both threads see.
  struct Shelf {
    std::mutex mutex;
    std::condition_variable made;
    std::string being_made;  ///< key of the case that is made ahead now
    std::vector<Kept> kept;
    std::size_t room = 0;   ///< bytes that may still be kept
    std::size_t files = 0;  ///< and open files
    Kept* find(const std::string& key);
    /// @return whether there was room
    bool keep(const std::string& key, const std::shared_ptr<PreparedCase>& prepared, bool asked_for);
  };

  const Lesson& lesson_;
  Secret secret_;
  std::unique_ptr<Shelf> shelf_;
  std::jthread ahead_;  ///< ends before the shelf does
};

}  // namespace ladder
