// What a student has done so far: one small file that survives crashes and two processes at once.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "grader/course/course.h"

namespace ladder::cli {

/// How a rung stands.
enum class RungState {
  untouched,     ///< still the skeleton
  started,       ///< edited, not yet run with its present contents
  failed,        ///< these contents were run and failed
  idea_missing,  ///< these contents were right, and did without the rung's idea
  passed,        ///< these contents passed
  changed,       ///< passed once; edited since
};
const char* to_string(RungState state);

/// Reads and writes ROOT/.ladder/progress.json. Keys of other versions of the course are kept.
/// A rung is filed under SHORT_NAME/RUNG, so that renumbering a lesson loses nothing; what was filed under a
/// name that lesson.toml lists as `formerly` counts for the new one.
class Progress {
 public:
  /// @param state_folder  ROOT/.ladder; need not exist
  explicit Progress(std::filesystem::path state_folder);

  /// Notes the outcome of a run of the student's own file.
  /// @param contents  the file as it was when it was built
  /// @param outcome   as in verdict.h: "passed", "wrong_values", ...
  void record_run(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                  std::string_view outcome, std::string_view device);

  /// How the rung stands, given the student's file as it is now and the skeleton it began as.
  RungState state(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                  std::string_view skeleton) const;

  /// Whether this rung was the one run last.
  bool ran_last(const LessonInfo& lesson, const RungInfo& rung) const;
  /// How the last run ended, or the last one that passed; nothing where there is none.
  struct RunRecord {
    std::string outcome;  ///< as in verdict.h
    std::string device;   ///< "gpu" or "simulator"
    std::string at;       ///< "2026-11-21T14:03:22Z"
  };
  std::optional<RunRecord> last_run(const LessonInfo& lesson, const RungInfo& rung) const;
  std::optional<RunRecord> last_pass(const LessonInfo& lesson, const RungInfo& rung) const;
  static std::string key(const LessonInfo& lesson, const RungInfo& rung);
  /// key(), then those that the rung had in older versions of the course: where it may be filed.
  static std::vector<std::string> keys(const LessonInfo& lesson, const RungInfo& rung);

  /// Whether the last run was of a file other than @p skeleton.
  bool tried(const LessonInfo& lesson, const RungInfo& rung, std::string_view skeleton) const;

  /// How many hints of a TODO were shown; 0: those of the rung.
  int hints_shown(const LessonInfo& lesson, const RungInfo& rung, int todo = 0) const;
  void set_hints_shown(const LessonInfo& lesson, const RungInfo& rung, int count, int todo = 0);
  /// Of the rung and of all its TODOs.
  int all_hints_shown(const LessonInfo& lesson, const RungInfo& rung) const;

  /// What the student predicted.
  /// @param key  Question::key()
  std::optional<double> prediction(const LessonInfo& lesson, const RungInfo& rung,
                                   const std::string& key) const;
  void set_prediction(const LessonInfo& lesson, const RungInfo& rung, const std::string& key, double value);

  const std::filesystem::path& file() const { return file_; }
  /// Set where the file could not be read; a sentence for the user. The first write puts it aside.
  const std::string& notice() const { return notice_; }

 private:
  nlohmann::json load();
  std::filesystem::path put_aside() const { return file_.parent_path() / "unreadable"; }
  std::optional<RunRecord> run(const LessonInfo& lesson, const RungInfo& rung, const char* which) const;
  /// Reads, changes and writes under a lock, so that two processes lose nothing of each other's.
  void update(const std::function<void(nlohmann::json&)>& change);
  const nlohmann::json* entry(const LessonInfo& lesson, const RungInfo& rung) const;

  std::filesystem::path file_;
  nlohmann::json data_;
  std::string notice_;
  bool unreadable_ = false;
};

}  // namespace ladder::cli
