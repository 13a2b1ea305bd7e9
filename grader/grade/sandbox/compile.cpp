#include "grader/grade/sandbox/compile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "grader/build/build.h"
#include "grader/build/compiler_output.h"
#include "grader/grade/sandbox/blame.h"
#include "grader/grade/sandbox/compiler_cell.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/unique_fd.h"
#include "grader/platform/read_plain.h"
#include "grader/platform/sha256.h"
#include "grader/run/refused.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr int kCalls = 3;  // of the compiler on one file, where the machine may be to blame

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

/// One file on its way to a module.
class Compilation {
 public:
  Compilation(const Grading& grading, const LessonInfo& lesson, const RungInfo& rung, const fs::path& folder,
              const fs::path& source)
      : grading_(grading),
        lesson_(lesson),
        rung_(rung),
        folder_(folder),
        cell_(grading, lesson, rung, folder / "file", source) {}

  /// Makes both builds. @return the verdict where there is none, which is the machine's where it is
  /// harness_failed
  std::optional<Verdict> refused() {
    for (const Build build : {Build::fast, Build::check})
      if (std::optional<Verdict> verdict = refused(build)) return verdict;
    if (same_text()) return std::nullopt;
    return refused_verdict(lesson_, rung_, {other_check_build()}, {}, cell_.name());
  }

  /// Moves both products, which every cell may read then; what else the cell left is left.
  void hand_over(const fs::path& kept) const {
    fs::create_directories(kept);
    for (const Build build : {Build::fast, Build::check}) {
      const fs::path file = kept / cell_.product(build).filename();
      fs::rename(cell_.product(build), file);  // of a link, the link itself, which the next line refuses
      const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      if (!fd || ::fchmod(fd.get(), 0444) != 0)
        throw Failure(ExitCode::environment, "cannot take over " + file.string());
    }
  }

 private:
  std::optional<Verdict> refused(Build build) {
    bool failed_beside_control = false;  // the last call, after which the control file compiled
    CompilerCall last;
    for (int call = 0; call < kCalls; ++call) {
      if (call > 0) std::this_thread::sleep_for(std::chrono::seconds(call * call));
      last = cell_.call(build);
      const Blame whose = blame(last, is_product(cell_.product(build)), grading_.limits);
      if (whose == Blame::nobody) return std::nullopt;
      if (whose == Blame::file) return fault_of_file(build, last);
      const bool beside_control = whose == Blame::unknown && control_compiles(build);
      if (failed_beside_control && beside_control) return fault_of_file(build, last);
      failed_beside_control = beside_control;
    }
    return fault_of_machine(last);
  }

  /// Whether the machine can compile a file that holds nothing but a kernel without statements.
  bool control_compiles(Build build) const {
    const Partial partial{folder_ / "control"};
    fs::create_directories(partial.folder);
    const fs::path source = partial.folder / "control.cu";
    write_file(source, "__global__ void control() {}\n");
    const CompilerCell cell(grading_, lesson_, rung_, partial.folder / "cell", source);
    return cell.call(build).status.ok() && is_product(cell.product(build));
  }

  bool same_text() const {
    constexpr std::size_t kDigest = 200;
    const auto fast = read_plain(cell_.out(), cell_.text(Build::fast).filename(), kDigest),
               check = read_plain(cell_.out(), cell_.text(Build::check).filename(), kDigest);
    return fast && check && *fast == *check;
  }

  Verdict fault_of_file(Build build, const CompilerCall& call) const {
    if (call.status.cpu_seconds >= grading_.limits.compile_seconds) {
      Verdict verdict = of(Outcome::build_failed);
      verdict.headline =
          fmt::format("the compiler had not ended after {:g} s of CPU time", grading_.limits.compile_seconds);
      verdict.advice = "Do templates or macros call for one another without end?";
      return verdict;
    }
    std::vector<CompilerMessage> messages = read_compiler_output(call.lines, cell_.name());
    if (build == Build::check) messages.insert(messages.begin(), no_check_build());
    Verdict verdict = refused_verdict(lesson_, rung_, messages, call.lines, cell_.name());
    const std::string newer = newer_architecture_hint(messages, architecture_of(rung_, grading_.arch));
    if (!newer.empty()) verdict.advice = newer;
    return verdict;
  }

  Verdict fault_of_machine(const CompilerCall& call) const {
    Verdict verdict = of(Outcome::harness_failed);
    verdict.headline = "the grader could not compile this: " + trouble(call);
    verdict.advice = "Grade again when the machine is well: this result is not kept.";
    return verdict;
  }

  Verdict of(Outcome outcome) const {
    Verdict verdict;
    verdict.lesson = lesson_.name;
    verdict.rung = rung_.name;
    verdict.outcome = outcome;
    return verdict;
  }

  const Grading& grading_;
  const LessonInfo& lesson_;
  const RungInfo& rung_;
  fs::path folder_;
  CompilerCell cell_;
};

}  // namespace

Compiled compile(const Grading& grading, const LessonInfo& lesson, const RungInfo& rung,
                 const std::string& hash) {
  const std::string key = sha256(fingerprint(grading, lesson) + rung.name + hash).substr(0, 32);
  const fs::path entry = grading.work / "modules" / key;
  if (fs::exists(entry)) return read_entry(entry, rung);

  const Partial partial{grading.work / "modules" / fmt::format("{}.partial.{}", key, ::getpid())};
  Compilation compilation(grading, lesson, rung, partial.folder, grading.source(hash));
  const fs::path kept = partial.folder / "kept";
  if (const std::optional<Verdict> refused = compilation.refused()) {
    if (refused->outcome == Outcome::harness_failed) return {{}, *refused};
    write_file(kept / "refused.json", json(*refused).dump(-1, ' ', false, json::error_handler_t::replace));
  } else {
    compilation.hand_over(kept);
  }
  fs::permissions(kept, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  std::error_code lost_the_race;  // another unit made the same one meanwhile
  fs::rename(kept, entry, lost_the_race);
  return read_entry(entry, rung);
}

}  // namespace ladder::cli::grade
