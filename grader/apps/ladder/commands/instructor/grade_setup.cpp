#include "grader/apps/ladder/commands/instructor/grade_setup.h"

#include <sys/random.h>

#include <fmt/format.h>

#include "grader/build/build.h"
#include "grader/build/toolchain.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"

namespace ladder::cli {
namespace fs = std::filesystem;
using namespace ladder::cli::grade;
namespace {

/// The policy's seed, or one drawn for this class and kept with its results.
std::uint64_t seed_of(const Policy& policy, const fs::path& work) {
  if (policy.seed) return *policy.seed;
  const fs::path file = work / "seed";
  if (fs::exists(file)) return std::stoull(read_file(file));
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed)
    throw Failure(ExitCode::environment, "no random seed to be had");
  seed >>= 12;
  write_file(file, std::to_string(seed));
  return seed;
}

bool choose_gpu(Context& context, const GradeOptions& options, const Policy& policy) {
  const std::string wish = device_wish(options, policy);
  if (options.engine == "slurm")  // the nodes' GPUs count, not this machine's
    return wish == "gpu" || (wish == "auto" && !options.slurm.gres.empty());
  if (wish == "gpu" && !gpu_visible())
    throw Failure(ExitCode::environment, "no NVIDIA GPU is visible on this machine");
  const bool built = fs::exists(context.project().binary("runner-gpu"));
  return wish == "gpu" || (wish == "auto" && built && gpu_visible());
}

/// What is compiled follows the device, of which a cluster's are not known here.
Architecture compiled_for(const GradeOptions& options, const Policy& policy, const Grading& grading) {
  if (!options.arch.empty()) return options.arch;
  if (!policy.arch.empty()) return policy.arch;
  if (!grading.gpu) return simulated_architecture();
  return options.engine == "slurm" ? kPortableArchitecture : device_architecture(grading.project);
}

}  // namespace

std::string device_wish(const GradeOptions& options, const Policy& policy) {
  return options.device.empty() ? policy.device : options.device;
}

Grading make_grading(Context& context, const GradeOptions& options, const Policy& policy) {
  Grading grading;
  expect_checkout(context.project(), "ladder grade");
  grading.project = context.project();
  const fs::path out = fs::absolute(options.out).lexically_normal();
  grading.work = out / ".work";
  fs::create_directories(grading.work);
  fs::permissions(grading.work, fs::perms::owner_all);  // submissions and the seed are nobody else's business
  grading.gpu = choose_gpu(context, options, policy);
  grading.arch = compiled_for(options, policy, grading);
  grading.timed = policy.performance_share > 0;
  grading.counted = policy.idea_share > 0 && !grading.gpu;
  grading.quick = policy.quick;
  grading.sandboxed = !options.unsandboxed;
  grading.hidden_cases = policy.hidden_cases;
  grading.limits = policy.limits;
  grading.seed = seed_of(policy, grading.work);
  grading.hidden_folders = {fs::canonical(grading.project.root), out, fs::canonical(options.submissions)};
  // A checkout may be links to a course that lies elsewhere.
  grading.hidden_folders.push_back(fs::weakly_canonical(grading.project.solutions()).parent_path());
  for (const std::string& folder : options.show) grading.shown_folders.push_back(fs::canonical(folder));
  return grading;
}

FileLock lock_of(const fs::path& work) {
  if (auto lock = FileLock::try_take(work / "lock")) return std::move(*lock);
  throw Failure(ExitCode::environment, "another ladder grade is at work in " + work.parent_path().string());
}

void insist_on_sandbox(Context& context, const Grading& grading) {
  if (!grading.sandboxed) {
    context.line("{} no sandbox: students' code runs as you, and can read and change whatever you can.",
                 context.out.paint(Tone::bad, "WARNING"));
    return;
  }
  if (const std::string reason = why_no_sandbox(grading); !reason.empty())
    throw Failure(ExitCode::environment, "there is no sandbox, and without one nothing is graded: " + reason,
                  "--unsandboxed grades all the same: only for code that you would run as yourself.");
}

void build_programs(Context& context, const Grading& grading) {
  if (!toolchain(grading.project).value("grades", true))
    throw Failure(ExitCode::environment,
                  "this build cannot grade: libseccomp or libarchive was missing when it was made",
                  "./ladder setup --grade installs them and builds again.");
  TransientLine progress(context.out);
  BuildRequest wanted;
  wanted.lesson = &context.course().lessons.front();  // it only names rungs, and none is wanted
  for (const char* program :
       {grading.runner_name(), grading.rung_program(), "ladder-confine", "ladder-unpack"})
    if (!fs::exists(grading.project.binary(program))) wanted.also.push_back(program);
  if (!wanted.also.empty()) build(grading.project, wanted, progress);
}

void build_course(Context& context, const Grading& grading, const std::vector<const LessonInfo*>& lessons) {
  TransientLine progress(context.out);
  for (const LessonInfo* lesson : lessons) {
    BuildRequest wanted{lesson, {}, Side::solution, {lesson->short_name + "_lesson"}};
    if (grading.timed) {
      wanted.arch = grading.arch;
      for (const RungInfo& rung : lesson->rungs) wanted.rungs.push_back(&rung);
    }
    const BuildResult built = build(grading.project, wanted, progress);
    if (!built.refused.empty())
      throw Failure(ExitCode::environment, fmt::format("the solution {} of {} does not compile",
                                                       built.refused.begin()->first, lesson->name));
  }
}

}  // namespace ladder::cli
