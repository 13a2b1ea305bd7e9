// The ladder: a table of rungs with times, ratios and bars, row by row as verdicts come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/platform/terminal.h"
#include "grader/records/measured.h"
#include "grader/records/modelled.h"
#include "grader/run/runner.h"

namespace ladder::cli {

class LadderView {
 public:
  /// @param recorded  what a GPU took: shown in columns of their own where times are modelled
  LadderView(const LessonInfo& lesson, const Terminal& terminal, std::optional<Recorded> recorded = {})
      : lesson_(lesson), terminal_(terminal), recorded_(std::move(recorded)) {}

  /// What is run, on what, and the column heads. Says "modelled" wherever times are not measured.
  std::vector<std::string> head(const RunDevice& device, bool timed);
  /// The head of a further table, for another size of the lesson.
  std::vector<std::string> head_of_size(const std::string& size, bool modelled);
  /// The time of the CPU reference; only where times are measured.
  std::string reference_row(double milliseconds) const;
  /// One row: a rung's time, or what is wrong with it; both, where it is right without its idea. Before a
  /// rung that was timed at another size than the one above, a line that says so.
  std::string row(const Verdict& verdict);
  /// The row of a rung whose tasks are still open: no failure, just not done.
  std::string open_row(const Verdict& verdict, const std::string& todos);
  /// A baseline's row, "to beat".
  std::string baseline_row(const Verdict& verdict);
  /// Explanations of the signs that were used, why the detours are slower, and how the best rung stands
  /// against the best baseline.
  std::vector<std::string> foot() const;

 private:
  /// Rungs timed at one size: only they are compared with each other. Most lessons have one such group; some
  /// have rungs that do different things.
  struct Group {
    std::string size;
    std::optional<Timing> first{}, last{}, best{}, best_baseline{};
    std::string best_name{}, best_baseline_name{};
  };
  Group& group_of(const std::string& size);
  /// Whether the rule of thumb for bandwidth says something about the group's best.
  static bool is_rated(const Group& group);
  void append_foot(const Group& group, std::vector<std::string>& lines) const;

  std::string label(const Verdict& verdict, Tone tone) const;
  std::string figures(const Timing& timing, const std::string& recorded, const std::string& below,
                      const std::string& total) const;
  std::vector<std::string> column_heads() const;
  bool shows_recorded() const;
  std::string recorded_figures(const Verdict& verdict) const;
  void append_detours(std::vector<std::string>& lines) const;
  void append_recorded(std::vector<std::string>& lines) const;
  std::size_t label_width() const;
  std::size_t bar_width() const;

  const LessonInfo& lesson_;
  const Terminal& terminal_;
  std::optional<Recorded> recorded_;
  std::vector<const RungInfo*> shown_;  ///< rungs that have a row
  bool modelled_ = false;
  bool timed_ = true;
  bool used_noise_ = false, used_unstable_ = false;
  std::vector<Group> groups_;
  std::string said_size_;  ///< of the group whose rows are being written
};

/// "✓", "◐", "✗" or "–" (ASCII: "+", "%", "x", "-"), painted.
std::string outcome_mark(Outcome outcome, const Terminal& terminal);

/// "simulated H200, times modelled, not measured" or "NVIDIA H200 (compute capability 9.0)".
std::string device_text(const RunDevice& device);

/// "the solution: 13.2 µs modelled; yours takes 1.9 times as long"; nothing where its time is not kept.
std::optional<std::string> solution_sentence(const Modelled& modelled, const RungInfo& rung,
                                             const Timing& timing, const Terminal& terminal);

/// "recorded, H200, 2026-11-22: 0.75 ms at n=268435456, 2.10× as fast as the rung below"; nothing where the
/// rung was not recorded.
std::optional<std::string> recorded_sentence(const Recorded& recorded, const LessonInfo& lesson,
                                             const RungInfo& rung, const Terminal& terminal);

}  // namespace ladder::cli
