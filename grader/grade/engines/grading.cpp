#include "grader/grade/engines/grading.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/build/build.h"
#include "grader/course/includes.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Limits, rung_seconds, call_seconds, compile_seconds, memory_mb,
                                   compile_memory_mb, file_mb, processes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Unit::File, rung, hash, shared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Unit, key, lesson, files)

namespace {

/// What changes verdicts, as opposed to where things lie.
json settings(const Grading& grading) {
  return {{"gpu", grading.gpu},
          {"timed", grading.timed},
          {"counted", grading.counted},
          {"quick", grading.quick},
          {"sandboxed", grading.sandboxed},
          {"seed", grading.seed},
          {"hidden", grading.hidden_cases},
          {"limits", grading.limits},
          {"arch", grading.arch}};
}

/// A file that is too large to read for this: its size and date.
std::string stamp(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto date = fs::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.filename().string(), error ? 0 : size, error ? 0 : date);
}

}  // namespace

Grading load_grading(const fs::path& work) {
  Grading grading;
  grading.work = work;
  const json saved = json::parse(read_file(grading.settings_file()));
  grading.project.root = saved.at("root").get<std::string>();
  grading.project.build = saved.at("build").get<std::string>();
  const json& set = saved.at("settings");
  grading.gpu = set.at("gpu");
  grading.timed = set.at("timed");
  grading.counted = set.at("counted");
  grading.quick = set.at("quick");
  grading.sandboxed = set.at("sandboxed");
  grading.seed = set.at("seed");
  grading.hidden_cases = set.at("hidden");
  grading.arch = set.at("arch").get<std::string>();
  grading.limits = set.at("limits").get<Limits>();
  for (const json& folder : saved.at("hidden_folders"))
    grading.hidden_folders.push_back(folder.get<std::string>());
  for (const json& folder : saved.at("shown_folders"))
    grading.shown_folders.push_back(folder.get<std::string>());
  return grading;
}

void save_grading(const Grading& grading) {
  json folders = json::array(), shown = json::array();
  for (const fs::path& folder : grading.shown_folders) shown.push_back(folder.string());
  for (const fs::path& folder : grading.hidden_folders) folders.push_back(folder.string());
  write_file(grading.settings_file(), json{{"root", grading.project.root.string()},
                                           {"build", grading.project.build.string()},
                                           {"settings", settings(grading)},
                                           {"hidden_folders", folders},
                                           {"shown_folders", shown}}
                                          .dump(1));
}

Unit load_unit(const Grading& grading, const std::string& key) {
  return json::parse(read_file(grading.unit_file(key))).get<Unit>();
}

void save_unit(const Grading& grading, const Unit& unit) {
  write_file(grading.unit_file(unit.key), json(unit).dump());
}

std::string fingerprint(const Grading& grading, const LessonInfo& lesson) {
  std::vector<fs::path> files = headers_for(lesson);
  files.push_back(grading.project.root / "cmake" / "nvcc.sh");
  if (grading.timed)
    for (const RungInfo& rung : lesson.rungs) files.push_back(lesson.solution_file(rung));
  if (grading.counted) files.push_back(lesson.folder / "lesson.toml");  // its ideas
  std::sort(files.begin(), files.end());
  std::string all = settings(grading).dump() + "\n";
  for (const fs::path& file : files) all += file.filename().string() + " " + sha256(read_file(file)) + "\n";
  for (const fs::path& plugin : plugins_of(grading.project, lesson)) all += stamp(plugin);
  all += stamp(grading.project.binary(grading.runner_name()));
  all +=
      stamp(grading.project.binary(grading.rung_program())) + stamp(grading.project.build / "toolchain.json");
  return sha256(all);
}

}  // namespace ladder::cli::grade
