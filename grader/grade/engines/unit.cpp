#include "grader/grade/engines/unit.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "grader/build/build.h"
#include "grader/course/names.h"
#include "grader/grade/publish/results.h"
#include "grader/grade/sandbox/compile.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/idea/evaluate.h"
#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/file_lock.h"
#include "grader/run/runner.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr int kArraysMb = 2048;  // of the lesson's, in a cell; ten times what any was seen to hold
constexpr const char* kSolution = ".solution";  // behind a rung's name: the solution, timed beside it

/// The verdict, once the rung's idea has been looked at, where ideas count.
Verdict with_idea(const Grading& grading, const LessonInfo& lesson, Verdict verdict) {
  if (!grading.counted) return verdict;
  for (const RungInfo& rung : lesson.rungs)
    if (rung.name == verdict.rung) idea::judge(rung.how, rung.number, verdict);
  return verdict;
}

/// Whether rungs run at the timed size, too: for points for speed, or for the counters that ideas are told
/// by.
bool runs_timed_case(const Grading& grading, const LessonInfo& lesson) {
  const bool ideas = std::any_of(lesson.rungs.begin(), lesson.rungs.end(),
                                 [](const RungInfo& rung) { return !rung.how.empty(); });
  return grading.timed || (grading.counted && ideas);
}

/// Whoever times on a GPU is alone with it, among this grading's units. The nodes of a cluster share the work
/// folder and not their GPUs; neither do tasks that were given different ones.
std::optional<FileLock> turn_on_gpu(const Grading& grading) {
  if (!grading.gpu) return std::nullopt;
  utsname node{};
  ::uname(&node);
  return FileLock(grading.work / file_name_for(fmt::format("gpu.{}.{}", node.nodename,
                                                           environment("CUDA_VISIBLE_DEVICES"))));
}

/// What the cells of a unit allow, the rung's and its simulator's.
Cell cell_of(const Grading& grading) {
  Cell cell;
  cell.gpu = grading.gpu;
  if (grading.gpu) cell.open_files = 1024;  // the driver opens many
  cell.tmp_mb = cell.file_mb = grading.limits.file_mb;
  cell.processes = grading.limits.processes;
  cell.whole_mb = grading.limits.memory_mb + kArraysMb;
  cell.cpu_seconds = static_cast<int>(grading.limits.rung_seconds) * 64 + 1;  // all threads' together
  cell.folders = {grading.work / "modules"};
  return cell;
}

/// What starts a program in a cell, in a file for the judge.
WorkerCommand command_in_cell(const Grading& grading, const Unit& unit, const char* what, const Cell& cell,
                              const fs::path& program) {
  WorkerCommand command = worker_command(grading, cell, program);
  command.write(grading.work / "units" / fmt::format("{}.{}.json", unit.key, what));
  return command;
}

/// Has the judge start a rung's process in a cell. On the simulator that process has to ask another one,
/// which is confined as well, for it reads the rung's PTX: neither findings nor modelled times pass through
/// the rung's hands.
void confine(const Grading& grading, const LessonInfo& lesson, const Unit& unit, RunRequest& request) {
  const fs::path rung = grading.project.binary(grading.rung_program());
  Cell cell = cell_of(grading);
  cell.read_only = {{rung, rung}};
  for (const fs::path& plugin : plugins_of(grading.project, lesson))
    cell.read_only.push_back({plugin, plugin});
  cell.folders.push_back(fs::path(request.lesson_path).parent_path());
  request.limits.command = command_in_cell(grading, unit, "command", cell, rung);
  if (grading.gpu) return;
  const fs::path simulator = grading.project.binary(grading.runner_name());
  cell.read_only = {{simulator, simulator}};
  if (grading.sandboxed) cell.file_mb = 0;  // it reserves files that stay nearly empty
  request.apart.apart = true;
  request.apart.simulator_command = command_in_cell(grading, unit, "simulator", cell, simulator);
}

RunnerCall call_for(const Grading& grading, const LessonInfo& lesson, const Unit& unit,
                    const std::map<std::string, fs::path>& modules) {
  RunnerCall call;
  call.runner = grading.project.binary(grading.runner_name());
  RunRequest& request = call.request;
  request.lesson_path = plugin_of(grading.project, lesson);
  request.lesson_name = lesson.name;
  request.check_only = !runs_timed_case(grading, lesson);
  request.quick = grading.quick;
  request.seed = grading.seed;
  for (const RungInfo& rung : lesson.rungs) {
    const auto module = modules.find(rung.name);
    if (module == modules.end()) continue;
    request.rungs.push_back(RungSpec::of(rung.name, module->second, rung.compute_capability));
    if (grading.timed)
      request.rungs.push_back(RungSpec::of(rung.name + kSolution,
                                           module_of(grading.project, lesson, rung, Side::solution),
                                           rung.compute_capability));
  }
  if (grading.gpu) {
    request.peaks_file = grading.work / "peaks.json";
    if (const fs::path module = grading.project.build / "modules" / "peaks.so"; fs::exists(module))
      request.peaks_module = module;
  }
  request.hidden = grading.hidden_cases;
  request.limits.rung_seconds = grading.limits.rung_seconds;
  request.limits.call_seconds = grading.limits.call_seconds;
  request.limits.memory_mb = static_cast<std::size_t>(grading.limits.memory_mb);
  confine(grading, lesson, unit, request);
  return call;
}

/// The modules of one unit. Together they may take no more than any file may, and they go with this.
class Modules {
 public:
  explicit Modules(const Grading& grading) : room_(std::uintmax_t(grading.limits.file_mb) << 20) {}
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  ~Modules() {
    std::error_code ignored;
    for (const fs::path& folder : own_) fs::remove_all(folder, ignored);
  }

  /// @return false where there is no room for it
  bool take(const Unit::File& file, const fs::path& module) {
    const fs::path folder = module.parent_path();
    if (!file.shared) own_.push_back(folder);
    std::uintmax_t bytes = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
    if (bytes > room_) return false;
    room_ -= bytes;
    by_rung_[file.rung] = module;
    return true;
  }
  const std::map<std::string, fs::path>& by_rung() const { return by_rung_; }

 private:
  std::uintmax_t room_;
  std::vector<fs::path> own_;  ///< that no other unit wants
  std::map<std::string, fs::path> by_rung_;
};

Verdict too_large(const Grading& grading, const Unit& unit, const std::string& rung) {
  Verdict verdict;
  verdict.lesson = unit.lesson;
  verdict.rung = rung;
  verdict.outcome = Outcome::build_failed;
  verdict.headline = fmt::format("what the compiler makes of the lesson's rungs is larger than {} MiB",
                                 grading.limits.file_mb);
  verdict.advice = "An array that has initial values lies in the module with all its bytes.";
  return verdict;
}

/// A verdict as the result keeps it: counters of kernels are left out, which would be most of it.
json kept(const Verdict& verdict, const std::string& hash, const Architecture& compiled_for) {
  json json = verdict;
  json.erase("kernels");
  json.erase("calls");
  json["hash"] = hash;
  json["compiled_for"] = "compute_" + compiled_for;
  return json;
}

}  // namespace

void do_unit(const Grading& grading, const Course& course, const std::string& key) {
  const fs::path result_file = grading.result_file(key);
  if (fs::exists(result_file)) return;
  const auto begin = std::chrono::steady_clock::now();
  const Unit unit = load_unit(grading, key);
  const LessonInfo& lesson = find_lesson(course, unit.lesson);
  std::map<std::string, std::string> hashes;
  std::map<std::string, Architecture> archs;
  Modules modules(grading);
  std::map<std::string, json> rungs;
  for (const Unit::File& file : unit.files) {
    hashes[file.rung] = file.hash;
    const auto rung = std::find_if(lesson.rungs.begin(), lesson.rungs.end(),
                                   [&](const RungInfo& r) { return r.name == file.rung; });
    if (rung == lesson.rungs.end())
      throw Failure(ExitCode::environment, fmt::format("{} has no rung {}", lesson.name, file.rung));
    archs[file.rung] = architecture_of(*rung, grading.arch);
    const Compiled compiled = compile(grading, lesson, *rung, file.hash);
    if (compiled.module.empty())
      rungs[file.rung] = kept(compiled.refused, file.hash, archs[file.rung]);
    else if (!modules.take(file, compiled.module))
      rungs[file.rung] = kept(too_large(grading, unit, file.rung), file.hash, archs[file.rung]);
  }
  json result = {{"key", key}, {"lesson", lesson.name}, {"device", json::object()}};
  if (!modules.by_rung().empty()) {
    const std::optional<FileLock> turn = turn_on_gpu(grading);
    std::map<std::string, Timing> solutions;
    RunnerEvents events;
    events.verdict = [&](const Verdict& verdict) {
      if (verdict.rung.ends_with(kSolution)) {
        const std::string rung = verdict.rung.substr(0, verdict.rung.size() - std::string(kSolution).size());
        if (verdict.outcome == Outcome::passed && verdict.timing) solutions[rung] = *verdict.timing;
      } else if (!verdict.baseline) {
        rungs[verdict.rung] =
            kept(with_idea(grading, lesson, verdict), hashes[verdict.rung], archs[verdict.rung]);
      }
    };
    try {
      const RunReport report = run_rungs(call_for(grading, lesson, unit, modules.by_rung()), events);
      result["device"] = report.device;
      result["device"].erase("seed");
    } catch (const NoDevice& none) {
      throw Failure(ExitCode::environment, "there is no device to run on: " + none.message);
    }
    for (const auto& [rung, timing] : solutions)
      if (rungs.contains(rung))
        rungs[rung].update({{"solution_ms", timing.median_ms}, {"solution_beside_ms", timing.beside_ms}});
  }
  result["rungs"] = json::array();
  for (auto& [name, verdict] : rungs) result["rungs"].push_back(std::move(verdict));
  result["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  write_new_file(result_file, result.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace ladder::cli::grade
