// ladder grade: a class's submissions in, one JSON a student and the class's reports out.
#include <algorithm>
#include <thread>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/apps/ladder/commands/instructor/grade_report.h"
#include "grader/apps/ladder/commands/instructor/grade_setup.h"
#include "grader/grade/engines/meter.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/open_files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using namespace ladder::cli::grade;

constexpr std::size_t kFewestFiles = 256;  // open at a time: a lesson's arrays, with copies, and channels
constexpr std::size_t kLongestPolicy = 1u << 20;  // bytes

ExitCode run_grade(Context& context, GradeOptions options) {
  need_open_files(kFewestFiles, "grading");
  std::error_code unreachable;
  if (!fs::exists(options.submissions, unreachable))
    throw Failure(ExitCode::usage, unreachable
                                       ? fmt::format("{}: {}", options.submissions, unreachable.message())
                                       : options.submissions + " does not exist");
  const Policy policy = options.policy.empty() ? Policy{}
                                               : parse_policy(read_file(options.policy, kLongestPolicy),
                                                              options.policy, context.course());
  // Where nobody said how a task asks for a GPU, and the cluster has some, it asks for one.
  if (options.engine == "slurm" && options.slurm.gres.empty() && device_wish(options, policy) != "sim")
    options.slurm.gres = gpu_of_cluster(options.slurm.partition);
  const Grading grading = make_grading(context, options, policy);
  const FileLock lock = lock_of(grading.work);
  build_programs(context, grading);
  insist_on_sandbox(context, grading);
  TransientLine reading(context.out);
  reading.show("reading what was handed in");
  std::vector<std::string> notes;
  const std::vector<Submission> submissions = collect(grading, context.course(), options.submissions, &notes);
  reading.clear();
  show_collected(context, policy, submissions, notes);
  const std::vector<const LessonInfo*> lessons = lessons_that_count(context.course(), policy, submissions);
  if (lessons.empty())
    throw Failure(
        ExitCode::usage, "nobody handed in anything for any lesson",
        "Rungs are found by their files' names and folders: 09_reduction/1_serial.cu, 09/1_serial.cu.");
  build_course(context, grading, lessons);
  save_grading(grading);
  const GradingPlan plan = make_grading_plan(grading, lessons, submissions);
  Meter meter(context.out);
  const ProgressSink tell = [&](const EngineProgress& progress) { meter(progress); };
  if (options.engine == "slurm")
    run_slurm(grading, plan.keys, options.slurm, tell);
  else
    run_local(
        grading, plan.keys,
        options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
        tell);
  meter.end();
  write_results(context, grading, policy, plan, submissions, options);
  std::error_code ignored;
  fs::remove_all(grading.work / "modules", ignored);  // the results are what is worth keeping
  return ExitCode::passed;
}

}  // namespace

void add_grade(Commands& commands) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = commands.add(
      "grade", "grade a class's submissions, in a sandbox",
      "  ./ladder grade submissions --out results                  a folder or archive for each student\n"
      "  ./ladder grade class.zip --out results --policy hw2.toml  as the learning platform gives it\n"
      "  ./ladder grade repositories.txt --out results             `name remote` lines, fetched by git\n"
      "  ./ladder grade submissions --out results --engine slurm --partition teaching\n"
      "Called again with the same folders, it goes on where it was stopped. docs/instructor.md is the "
      "guide.\n",
      [options](Context& context) { return run_grade(context, *options); });
  command->add_option("submissions", options->submissions, "a folder, an archive, or a list of git remotes")
      ->required();
  command->add_option("--out", options->out, "folder for the results")->required()->type_name("DIR");
  command->add_option("--policy", options->policy, "points, lateness, performance, hidden cases: a TOML file")
      ->type_name("FILE");
  command->add_option("--device", options->device, "sim, gpu, or auto: overrides the policy")
      ->check(CLI::IsMember({"auto", "sim", "gpu"}))
      ->type_name("WHICH");
  add_architecture(command, options->arch);
  command
      ->add_option("--format", options->formats, "csv, html, junit, gradescope, github, autolab (csv,html)")
      ->delimiter(',')
      ->check(CLI::IsMember({"csv", "html", "junit", "gradescope", "github", "autolab"}))
      ->type_name("LIST");
  command->add_option("--jobs,-j", options->jobs, "units at the same time (as many as there are cores)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      ->add_option("--similarity", options->similar, "compare submissions; list pairs of N percent and more")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command
      ->add_option("--show", options->show,
                   "a folder that sandboxes show read-only, such as a compiler's; repeat it")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  command->add_flag("--unsandboxed", options->unsandboxed,
                    "run students' code as yourself; only limits remain");
  command->add_option("--engine", options->engine, "local or slurm")
      ->check(CLI::IsMember({"local", "slurm"}));
  command->add_option("--partition", options->slurm.partition, "of Slurm")->type_name("NAME");
  command
      ->add_option("--gres", options->slurm.gres, "of Slurm, such as gpu:2 (gpu:1 where the nodes have GPUs)")
      ->type_name("GRES");
  command->add_option("--task-time", options->slurm.time, "of Slurm, for each task")->type_name("HH:MM:SS");
  command->add_option("--units-per-task", options->slurm.units_per_task, "of Slurm: units in a row")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      ->add_option("--file-seconds", options->slurm.file_seconds,
                   "of Slurm: until a result shows here after its task has ended (60)")
      ->check(CLI::Range(0, 3600))
      ->type_name("S");
  command
      ->add_option("--sbatch", options->slurm.more, "a further option of sbatch; may be given several times")
      ->type_name("OPTION");
}

}  // namespace ladder::cli
