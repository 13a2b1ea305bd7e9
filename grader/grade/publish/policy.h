// What a class's work is worth and how it is looked at: a TOML file of the instructor's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/build/architecture.h"
#include "grader/course/course.h"

namespace ladder::cli::grade {

/// Part of the points for speed: as much as the first band says that the rung's time falls into.
struct Band {
  double within = 1;  ///< time of the rung over the solution's, at most
  double credit = 1;  ///< 0 to 1
};

struct Late {
  double per_day = 0;                    ///< share of the points that a day costs
  double most = 1;                       ///< share that lateness costs at most
  std::map<std::string, double> days;    ///< by student; a part of a day counts as one
  std::optional<std::int64_t> deadline;  ///< seconds since 1970; with it, the times below count
  std::map<std::string, std::int64_t> handed_in;
  double canvas_days = 1;  ///< what the mark LATE in a file's name counts as, where nothing else is known
};

struct Limits {
  double rung_seconds = 60;  ///< for all cases of a rung
  double call_seconds = 20;  ///< for one call of it
  double compile_seconds = 60;
  int memory_mb = 4096;          ///< of a rung's processes, beyond the lesson's arrays
  int compile_memory_mb = 6144;  ///< address space of each of the compiler's processes
  int file_mb = 64;              ///< of any file a rung or the compiler writes; and of /tmp
  int processes = 128;           ///< and threads, beyond four for each core
};

struct Policy {
  std::string title;
  std::vector<std::string>
      lessons;  ///< folder names; empty: every lesson that some student handed in a rung of
  std::map<std::string, double> points;  ///< by "09_reduction/1_serial", where it is not lesson.toml's
  std::optional<std::uint64_t> seed;     ///< of the cases; without it, one is drawn for the class
  int hidden_cases = 0;                  ///< for each lesson, of sizes that no listed case has
  bool quick = false;
  std::string device = "auto";
  Architecture arch;             ///< to compile for; empty: what the device has
  double idea_share = 0.5;       ///< of a rung's points, that one without its idea does not get
  double performance_share = 0;  ///< of a rung's points; 0: solutions are not timed
  std::vector<Band> bands;       ///< by `within`
  Late late;
  /// Students who want to be seen in the class ladder, and the names they chose for it.
  std::map<std::string, std::string> nicknames;
  Limits limits;
  std::string hash;  ///< of the file

  double points_of(const LessonInfo& lesson, const RungInfo& rung) const;
  /// Share of the points for speed that a time earns. @param ratio  over the solution's
  double credit_for(double ratio) const;
  /// Days that a student was late, and the share of the points that is left.
  double days_late(const std::string& student, bool marked) const;
  double late_factor(double days) const;
};

/// Reads a policy. @param file  its name, for messages @throws Failure (usage) that names the line
Policy parse_policy(std::string_view text, const std::filesystem::path& file, const Course& course);

}  // namespace ladder::cli::grade
