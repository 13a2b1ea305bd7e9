#include "grader/cli/grade/compile.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/cli/compiler_output.h"
#include "grader/cli/failure.h"
#include "grader/cli/files.h"
#include "grader/cli/grade/sandbox.h"
#include "grader/cli/grade/sha256.h"
#include "grader/cli/process.h"
#include "grader/cli/toolchain.h"
#include "grader/cli/verdict_view.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr std::size_t kMostLines = 400;               // kept of what the compiler says
constexpr std::uintmax_t kLargestModule = 64u << 20;  // bytes
constexpr int kTimedOut = 124;                        // as `timeout` ends

bool is_header(const fs::path& file) { return file.extension() == ".h" || file.extension() == ".cuh"; }

/// Where things stand in the compiler's cell: nothing of the checkout but the headers a rung may include.
struct Places {
  fs::path source, out, course;
};

Places places(const Run& run, const fs::path& source, const fs::path& out) {
  if (run.sandboxed) return {fs::path("/src") / source.filename(), "/out", "/course"};
  return {source, out, run.project.root};
}

Cell cell_for(const Run& run, const LessonInfo& lesson, const fs::path& source, const fs::path& out,
              int slot) {
  const Places at = places(run, source, out);
  Cell cell;
  cell.slot = slot;
  cell.file_mb = std::max(run.limits.file_mb, 64);
  cell.tmp_mb = 512;  // the compiler's own temporary files
  cell.memory_mb = run.limits.compile_memory_mb;
  cell.cpu_seconds = static_cast<int>(run.limits.compile_seconds) + 1;
  cell.processes = run.limits.processes;
  cell.read_only.push_back({source, at.source});
  for (const fs::directory_entry& entry : fs::directory_iterator(lesson.folder))
    if (is_header(entry.path()))
      cell.read_only.push_back({entry.path(), at.course / "lessons" / lesson.name / entry.path().filename()});
  for (const fs::directory_entry& entry : fs::directory_iterator(run.project.root / "common"))
    if (is_header(entry.path()))
      cell.read_only.push_back({entry.path(), at.course / "common" / entry.path().filename()});
  cell.writable.push_back({out, at.out});
  return cell;
}

/// The architecture that CMake would take: what the build is for, or more where the rung needs it.
int architecture(const json& toolchain, const RungInfo& rung) {
  const int built_for = std::stoi(toolchain.value("arch", "75"));
  std::string needs = rung.compute_capability;
  std::erase(needs, '.');
  return needs.empty() ? built_for : std::max(built_for, std::stoi(needs));
}

struct Commands {
  std::vector<std::string> module, check;
};

/// The words of toolchain.json's fast build and of the check build, with the course where the cell has it.
Commands commands(const Run& run, const LessonInfo& lesson, const RungInfo& rung, const Places& at) {
  const json chain = toolchain(run.project);
  const int arch = architecture(chain, rung);
  const std::string nvcc = fs::canonical(find_nvcc(run.project)).string();
  const std::string checkout = "-I" + chain.value("source_dir", run.project.root.string());
  const std::vector<std::string> includes = {"-I" + at.course.string(),
                                             "-I" + (at.course / "lessons" / lesson.name).string()};
  Commands made;
  made.module = {nvcc};
  for (std::string flag : chain.at("module_flags").get<std::vector<std::string>>()) {
    if (flag == checkout) continue;
    if (flag.starts_with("arch=")) flag = fmt::format("arch=compute_{0},code=compute_{0}", arch);
    made.module.push_back(std::move(flag));
  }
  made.check = {nvcc,     fmt::format("-arch=compute_{}", arch), "-G",  "-w", "-std=c++17",
                "-ccbin", chain.value("host_compiler", "c++"),   "-ptx"};
  for (auto* words : {&made.module, &made.check})
    words->insert(words->end(), includes.begin(), includes.end());
  const auto finish = [&](std::vector<std::string>& words, const std::string& output) {
    words.insert(words.end(), {at.source.string(), "-o", (at.out / output).string()});
  };
  finish(made.module, rung.name + ".so");
  finish(made.check, rung.name + ".check.ptx");
  return made;
}

struct Said {
  ExitStatus status;
  std::vector<std::string> lines;
};

/// What is said before the compiler begins is the sandbox's word; what is said after it may be a student's,
/// who can put any line into a message, or have the assembler print it to stdout.
constexpr const char* kBegun = "the compiler begins";

Said run_in(const Run& run, const Cell& cell, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"timeout", "-k", "1", fmt::format("{:g}", run.limits.compile_seconds)};
  const std::vector<std::string> shell = {"sh", "-c",
                                          fmt::format("echo '{}'; exec \"$@\" >/dev/null", kBegun), "sh"};
  for (const auto& more : {enter(run, cell), shell, command})
    words.insert(words.end(), more.begin(), more.end());
  Said said;
  said.status = run_process({words, {{"LC_ALL", "C"}}}, [&](std::string_view line) {
    if (said.lines.size() < kMostLines) said.lines.emplace_back(line.substr(0, 1000));
  });
  const bool begun = !said.lines.empty() && said.lines.front() == kBegun;
  if (begun) said.lines.erase(said.lines.begin());
  // nvcc's own complaint about its installation comes alone; messages about a file begin with the file's
  // name.
  const std::string first = said.lines.empty() ? "" : said.lines.front();
  if (!begun || first.starts_with("nvcc fatal"))
    throw Failure(ExitCode::environment, "the compiler cannot work in its cell: " + first);
  return said;
}

Verdict refusal(const LessonInfo& lesson, const RungInfo& rung, const Said& said, const std::string& source,
                double seconds) {
  if (said.status.code == kTimedOut || said.status.signal == SIGKILL || said.status.code == 128 + SIGKILL) {
    Verdict verdict;
    verdict.lesson = lesson.name;
    verdict.rung = rung.name;
    verdict.outcome = Outcome::build_failed;
    verdict.headline = fmt::format("the compiler had not ended after {:g} s", seconds);
    verdict.advice = "Do templates or macros call for one another without end?";
    return verdict;
  }
  return refused_verdict(lesson, rung, read_compiler_output(said.lines, source), said.lines,
                         rung.name + ".cu");
}

bool is_module(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(file, error)) && fs::file_size(file, error) <= kLargestModule;
}

/// What lies in a cache entry: the module, or why there is none.
Compiled read_entry(const fs::path& entry, const RungInfo& rung) {
  Compiled compiled;
  if (fs::exists(entry / "refused.json"))
    compiled.refused = json::parse(read_file(entry / "refused.json")).get<Verdict>();
  else
    compiled.module = entry / (rung.name + ".so");
  return compiled;
}

/// A folder that vanishes, unless it was renamed.
struct Partial {
  fs::path folder;
  ~Partial() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

}  // namespace

Compiled compile(const Run& run, const LessonInfo& lesson, const RungInfo& rung, const std::string& hash,
                 int slot) {
  const fs::path source = run.source(hash);
  const std::string key = sha256(fingerprint(run, lesson) + rung.name + hash).substr(0, 32);
  const fs::path entry = run.work / "modules" / key;
  if (fs::exists(entry)) return read_entry(entry, rung);

  const Partial partial{run.work / "modules" / fmt::format("{}.partial.{}", key, ::getpid())};
  const fs::path out = partial.folder / "out", named = partial.folder / (rung.name + ".cu");
  fs::create_directories(out);
  fs::permissions(out, fs::perms::all);  // the cell's user is another; nobody else gets into the work folder
  fs::copy_file(source, named);
  fs::permissions(named, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  const Cell cell = cell_for(run, lesson, named, out, slot);
  const Places at = places(run, named, out);
  const Commands words = commands(run, lesson, rung, at);
  const Said said = run_in(run, cell, words.module);
  if (said.status.ok() && is_module(out / (rung.name + ".so"))) {
    const fs::path check = out / (rung.name + ".check.ptx");
    if (!run_in(run, cell, words.check).status.ok() || !is_module(check)) {
      fs::remove(check);
      write_file(check, "");  // what findings are looked for in; without it the fast build is looked at
    }
  } else {
    fs::remove_all(out);
    write_file(out / "refused.json",
               json(refusal(lesson, rung, said, at.source.string(), run.limits.compile_seconds))
                   .dump(-1, ' ', false, json::error_handler_t::replace));
  }
  fs::permissions(out, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  for (const fs::directory_entry& file : fs::directory_iterator(out))
    fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  std::error_code lost_the_race;  // another unit made the same one meanwhile
  fs::rename(out, entry, lost_the_race);
  return read_entry(entry, rung);
}

}  // namespace ladder::cli::grade
