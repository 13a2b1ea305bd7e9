#include "grader/grade/engines/run.h"

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
json settings(const Run& run) {
  return {
      {"gpu", run.gpu},   {"timed", run.timed},         {"quick", run.quick},   {"sandboxed", run.sandboxed},
      {"seed", run.seed}, {"hidden", run.hidden_cases}, {"limits", run.limits}, {"arch", run.arch}};
}

/// A file that is too large to read for this: its size and date.
std::string stamp(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto date = fs::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.filename().string(), error ? 0 : size, error ? 0 : date);
}

}  // namespace

Run load_run(const fs::path& work) {
  Run run;
  run.work = work;
  const json saved = json::parse(read_file(run.run_file()));
  run.project.root = saved.at("root").get<std::string>();
  run.project.build = saved.at("build").get<std::string>();
  const json& set = saved.at("settings");
  run.gpu = set.at("gpu");
  run.timed = set.at("timed");
  run.quick = set.at("quick");
  run.sandboxed = set.at("sandboxed");
  run.seed = set.at("seed");
  run.hidden_cases = set.at("hidden");
  run.arch = set.at("arch").get<std::string>();
  run.limits = set.at("limits").get<Limits>();
  for (const json& folder : saved.at("hidden_folders"))
    run.hidden_folders.push_back(folder.get<std::string>());
  for (const json& folder : saved.at("shown_folders")) run.shown_folders.push_back(folder.get<std::string>());
  return run;
}

void save_run(const Run& run) {
  json folders = json::array(), shown = json::array();
  for (const fs::path& folder : run.shown_folders) shown.push_back(folder.string());
  for (const fs::path& folder : run.hidden_folders) folders.push_back(folder.string());
  write_file(run.run_file(), json{{"root", run.project.root.string()},
                                  {"build", run.project.build.string()},
                                  {"settings", settings(run)},
                                  {"hidden_folders", folders},
                                  {"shown_folders", shown}}
                                 .dump(1));
}

Unit load_unit(const Run& run, const std::string& key) {
  return json::parse(read_file(run.unit_file(key))).get<Unit>();
}

void save_unit(const Run& run, const Unit& unit) { write_file(run.unit_file(unit.key), json(unit).dump()); }

std::string fingerprint(const Run& run, const LessonInfo& lesson) {
  std::vector<fs::path> files = headers_for(lesson);
  files.push_back(run.project.root / "cmake" / "nvcc.sh");
  if (run.timed)
    for (const RungInfo& rung : lesson.rungs) files.push_back(lesson.solution_file(rung));
  std::sort(files.begin(), files.end());
  std::string all = settings(run).dump() + "\n";
  for (const fs::path& file : files) all += file.filename().string() + " " + sha256(read_file(file)) + "\n";
  all += stamp(run.project.binary(run.runner_name())) + stamp(plugin_of(run.project, lesson));
  all += stamp(run.project.binary(run.rung_program())) + stamp(run.project.build / "toolchain.json");
  return sha256(all);
}

}  // namespace ladder::cli::grade
