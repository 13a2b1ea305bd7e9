#include "grader/build/direct.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "grader/build/architecture.h"
#include "grader/build/compiler_calls.h"
#include "grader/build/toolchain.h"
#include "grader/course/includes.h"
#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

fs::path with_ending(fs::path module, const char* ending) { return module.replace_extension(ending); }

Words flags_for(const nlohmann::json& record, const char* which, const Architecture& arch) {
  Words flags = record.value(which, Words());
  for (std::string& word : flags)
    if (word.starts_with("arch=")) word = fmt::format("arch=compute_{0},code=compute_{0}", arch);
  return flags;
}

/// One rung: its source, its two builds, and what they are made of.
struct RungBuild {
  const RungInfo* rung = nullptr;
  fs::path source, module, prebuilt;
  Architecture arch;
  std::string key;       ///< what it would be made of now
  std::size_t call = 0;  ///< the one that makes it

  fs::path ptx() const { return with_ending(module, "check.ptx"); }
  fs::path stamp() const { return with_ending(module, "built-of"); }
  bool fresh() const {
    std::error_code ignored;
    return fs::exists(module, ignored) && fs::exists(ptx(), ignored) && fs::exists(stamp(), ignored) &&
           read_file(stamp()) == key;
  }
};

class DirectBuild {
 public:
  DirectBuild(const Project& project, const BuildRequest& request)
      : project_(project), request_(request), record_(toolchain(project)) {
    for (const RungInfo* rung : request.rungs) rungs_.push_back(plan(*rung));
    std::erase_if(rungs_, [&](const RungBuild& rung) { return rung.fresh() || taken_from_package(rung); });
  }
  bool nothing_to_do() const { return rungs_.empty(); }

  BuildResult run(TransientLine& progress) {
    expect_host_compiler();
    nvcc_ = find_nvcc(project_);
    for (RungBuild& rung : rungs_) add_calls(rung);
    progress.show(rungs_.size() == 1 ? "nvcc " + rungs_.front().source.filename().string()
                                     : fmt::format("nvcc, {} rungs", rungs_.size()));
    run_compiler_calls(calls_, std::max(1u, std::thread::hardware_concurrency()));
    progress.clear();
    for (const RungBuild& rung : rungs_) judge(rung);
    return std::move(result_);
  }

 private:
  RungBuild plan(const RungInfo& rung) const {
    const LessonInfo& lesson = *request_.lesson;
    RungBuild build;
    build.rung = &rung;
    build.source = source_of(lesson, rung, request_.side);
    build.module = module_of(project_, lesson, rung, request_.side);
    build.arch = architecture_of(rung, request_.arch.empty() ? record_.value("arch", "90") : request_.arch);
    const fs::path brought = project_.tools_folder() / "modules" / lesson.name / build.module.filename();
    std::error_code ignored;
    if (project_.packaged() && request_.side == Side::solution && fs::exists(brought, ignored) &&
        build.arch == architecture_of(rung, record_.value("arch", "90")))
      build.prebuilt = brought;
    build.key = key_of(build);
    return build;
  }

  /// Of the file that is compiled, what it may include, and how.
  std::string key_of(const RungBuild& build) const {
    if (!build.prebuilt.empty())
      return fmt::format("{} of {}", record_.value("version", ""), build.prebuilt.string());
    std::string text = fmt::format("{} {} {} {}\n", build.arch, environment("CUDA_HOME"),
                                   environment("NVCC_CCBIN"), record_.dump());
    for (const fs::path& header : headers_for(*request_.lesson)) text += read_file(header) + '\0';
    std::error_code ignored;
    return sha256(text + (fs::exists(build.source, ignored) ? read_file(build.source) : ""));
  }

  bool taken_from_package(const RungBuild& build) const {
    if (build.prebuilt.empty()) return false;
    fs::create_directories(build.module.parent_path());
    const auto copy = fs::copy_options::overwrite_existing;
    fs::copy_file(build.prebuilt, build.module, copy);
    fs::copy_file(with_ending(build.prebuilt, "check.ptx"), build.ptx(), copy);
    write_file(build.stamp(), build.key);
    return true;
  }

  void add_calls(RungBuild& build) {
    fs::create_directories(build.module.parent_path());
    for (const fs::path& file : {build.module, build.ptx(), build.stamp()}) fs::remove(file);
    build.call = calls_.size();
    const Words includes = {"-I" + project_.root.string(), "-I" + request_.lesson->folder.string()};
    Words argv = both_builds(project_);
    const auto add = [&](const char* which, const fs::path& made) {
      for (const Words& more : {Words{nvcc_}, flags_for(record_, which, build.arch), includes,
                                Words{build.source.string(), "-o", made.string()}})
        argv.insert(argv.end(), more.begin(), more.end());
    };
    add("module_flags", build.module);
    argv.emplace_back("--check");
    add("check_flags", build.ptx());
    calls_.push_back({argv, build.module.string() + ".log", {}});
  }

  void judge(const RungBuild& build) {
    const CompilerCall& call = calls_[build.call];
    if (call.status.ok()) return write_file(build.stamp(), build.key);
    const Words lines = split_lines(read_file(call.log));
    if (!says_where(lines) && tells_of_trouble(lines))
      throw Failure(ExitCode::environment, fmt::format("this machine could not compile {}", build.rung->name),
                    fmt::format("{}", fmt::join(lines, "\n")));
    result_.refused[build.rung->name] = messages_of(lines, build.source.string());
    result_.raw[build.rung->name] = lines;
    for (const fs::path& file : {build.module, build.ptx()}) fs::remove(file);
  }

  const Project& project_;
  const BuildRequest& request_;
  const nlohmann::json record_;
  std::string nvcc_;
  std::vector<RungBuild> rungs_;
  std::vector<CompilerCall> calls_;
  BuildResult result_;
};

}  // namespace

void expect_host_compiler() {
  if (!environment("NVCC_CCBIN").empty()) return;
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / "g++").c_str(), X_OK) == 0) return;
  throw Failure(
      ExitCode::environment, "there is no C++ compiler here: nvcc needs g++ for the host's side of a program",
      "Debian, Ubuntu: apt install g++. Fedora, RHEL: dnf install gcc-c++. On a cluster: module load gcc. "
      "Where it is not on PATH, NVCC_CCBIN names it.");
}

BuildResult build_directly(const Project& project, const BuildRequest& request, TransientLine& progress) {
  fs::create_directories(project.build);
  const FileLock turn(project.build / ".lock",
                      [&] { progress.show("waiting for another build in this folder"); });
  DirectBuild build(project, request);
  return build.nothing_to_do() ? BuildResult() : build.run(progress);
}

}  // namespace ladder::cli
