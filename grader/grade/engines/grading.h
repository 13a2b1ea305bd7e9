// What a grading is made of, as it lies in the work folder: one file for the whole and one for each unit of
// work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/build/architecture.h"
#include "grader/course/project.h"
#include "grader/grade/publish/policy.h"

namespace ladder::cli::grade {

/// What all units share.
struct Grading {
  Project project;
  std::filesystem::path work;  ///< OUT/.work
  bool gpu = false;
  bool counted = false;  ///< at the timed size too, on the simulator: for points for ideas
  bool timed = false;    ///< beside the solutions, for points for speed
  bool quick = false;
  bool sandboxed = true;
  int hidden_cases = 0;
  Architecture arch;  ///< that rungs are compiled for, where they do not need more
  std::uint64_t seed = 0;
  Limits limits;
  std::vector<std::filesystem::path>
      hidden_folders;  ///< that no sandbox may show: submissions, results, the checkout

  std::vector<std::filesystem::path> shown_folders;  ///< read-only in every sandbox, by the instructor's wish

  const char* runner_name() const { return gpu ? "runner-gpu" : "runner-sim"; }
  /// What a rung's process runs: on the simulator it has no part of that.
  const char* rung_program() const { return gpu ? "runner-gpu" : "runner-apart"; }
  std::filesystem::path source(const std::string& hash) const { return work / "sources" / (hash + ".cu"); }
  std::filesystem::path unit_file(const std::string& key) const { return work / "units" / (key + ".json"); }
  std::filesystem::path result_file(const std::string& key) const {
    return work / "results" / (key + ".json");
  }
  std::filesystem::path log_file(const std::string& key) const { return work / "logs" / (key + ".log"); }
  std::filesystem::path settings_file() const { return work / "run.json"; }
};

/// Rungs of one lesson that are judged together. Equal files of two students are one unit.
struct Unit {
  struct File {
    std::string rung;
    std::string hash;     ///< of its contents
    bool shared = false;  ///< another unit has the same, and wants its module
  };
  std::string key;     ///< sha256 of all that the verdicts depend on
  std::string lesson;  ///< folder name
  std::vector<File> files;
};

/// @throws nlohmann::json::exception, Failure
Grading load_grading(const std::filesystem::path& work);
void save_grading(const Grading& grading);
Unit load_unit(const Grading& grading, const std::string& key);
void save_unit(const Grading& grading, const Unit& unit);

/// Names of what verdicts depend on besides the student's files: the settings of the run, the runner, and a
/// lesson's plugin, headers and solutions.
std::string fingerprint(const Grading& grading, const LessonInfo& lesson);

}  // namespace ladder::cli::grade
