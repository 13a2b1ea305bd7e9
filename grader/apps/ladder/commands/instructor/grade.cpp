// ladder grade: a class's submissions in, one JSON a student and the class's reports out.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <thread>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/build/build.h"
#include "grader/grade/engines/engine.h"
#include "grader/grade/engines/grading_plan.h"
#include "grader/grade/engines/meter.h"
#include "grader/grade/engines/unit.h"
#include "grader/grade/publish/outputs.h"
#include "grader/grade/publish/results.h"
#include "grader/grade/publish/similarity.h"
#include "grader/grade/sandbox/lease.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/process/open_files.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

using namespace ladder::cli::grade;

constexpr std::size_t kFewestFiles = 256;  // open at a time: a lesson's arrays, with copies, and channels
constexpr std::size_t kLongestPolicy = 1u << 20;  // bytes

struct GradeOptions {
  std::string submissions, out, policy, device, arch, engine = "local";
  std::vector<std::string> formats = {"csv", "html"};
  int jobs = 0;
  int similar = 0;  ///< percent; 0: submissions are not compared
  bool unsandboxed = false;
  std::vector<std::string> show;
  SlurmOptions slurm;
};

/// Two gradings into one folder would tread on each other.
FileLock lock_of(const fs::path& work) {
  if (auto lock = FileLock::try_take(work / "lock")) return std::move(*lock);
  throw Failure(ExitCode::environment, "another ladder grade is at work in " + work.parent_path().string());
}

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

std::string device_wish(const GradeOptions& options, const Policy& policy) {
  return options.device.empty() ? policy.device : options.device;
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

Grading make_grading(Context& context, const GradeOptions& options, const Policy& policy) {
  Grading grading;
  grading.project = context.project();
  const fs::path out = fs::absolute(options.out).lexically_normal();
  grading.work = out / ".work";
  fs::create_directories(grading.work);
  fs::permissions(grading.work, fs::perms::owner_all);  // submissions and the seed are nobody else's business
  grading.gpu = choose_gpu(context, options, policy);
  grading.arch = compiled_for(options, policy, grading);
  grading.timed = policy.performance_share > 0;
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

/// The runner, what a rung's process runs, what closes their cells, and what looks into archives.
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

/// What the course itself brings: the lessons' plugins, and their solutions where these are timed.
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

/// "1 student", "2 students".
std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A student's name that the policy misspells would cost that student the lateness, or nobody.
std::vector<std::string> strangers(const Policy& policy, const std::vector<Submission>& submissions) {
  std::set<std::string> names;
  for (const auto& [name, days] : policy.late.days) names.insert(name);
  for (const auto& [name, time] : policy.late.handed_in) names.insert(name);
  for (const Submission& submission : submissions) names.erase(submission.student);
  return {names.begin(), names.end()};
}

/// What was found, and a line for each thing that an instructor would want to know before points are lost.
void show_collected(Context& context, const Policy& policy, const std::vector<Submission>& submissions,
                    std::vector<std::string> notes) {
  constexpr std::size_t kMostNotes = 20, kMostOfOne = 3;
  std::size_t files = 0, others = 0;
  for (const std::string& name : strangers(policy, submissions))
    notes.push_back(fmt::format("the policy's [late] names '{}', and nobody of that name handed in", name));
  for (const Submission& submission : submissions) {
    files += submission.files.size();
    others += submission.others;
    const auto note = [&](const std::string& what) { notes.push_back(submission.student + ": " + what); };
    if (!submission.problem.empty())
      note(submission.problem);
    else if (submission.files.empty())
      note("no rung's file was found");
    const std::size_t shown = std::min(submission.ignored.size(), kMostOfOne);
    for (std::size_t i = 0; i < shown; ++i)
      note(fmt::format("{} was not taken: {}", submission.ignored[i].path, submission.ignored[i].why));
    if (submission.ignored.size() > shown)
      note(fmt::format("{} more were not taken", submission.ignored.size() - shown));
  }
  context.line("{} with {}; {} not looked at", counted(submissions.size(), "submission"),
               counted(files, "rung file"), counted(others, "other file"));
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i)
    context.line("{} {}", context.out.paint(Tone::warn, "note:"), without_controls(notes[i]));
  if (notes.size() > kMostNotes)
    context.line("... and {} more, in the students' results", notes.size() - kMostNotes);
}

void write_results(Context& context, const Grading& grading, const Policy& policy, const GradingPlan& plan,
                   const std::vector<Submission>& submissions, const GradeOptions& options) {
  const fs::path out = options.out;
  std::vector<json> students;
  for (const Submission& submission : submissions) {
    students.push_back(student_result(grading, policy, plan, submission));
    write_file(out / "students" / (file_name_for(submission.student) + ".json"),
               students.back().dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  }
  const json all = class_result(grading, policy, students);
  write_file(out / "class.json", all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  write_outputs(out, options.formats, all, students);
  if (options.similar > 0) {
    std::vector<std::string> notes;
    write_file(out / "similarity.csv", similarity_csv(grading, plan, submissions, options.similar, notes));
    for (const std::string& note : notes) context.line("{} {}", context.out.paint(Tone::warn, "note:"), note);
  }
  const auto attention = std::count_if(students.begin(), students.end(), [](const json& student) {
    return student["needs_attention"].get<bool>();
  });
  context.line("{} graded: {}", counted(students.size(), "student"), context.shown(out / "class.json"));
  for (const char* file : {"gradebook.csv", "class.html", "similarity.csv"})
    if (fs::exists(out / file)) context.line("  {}", context.shown(out / file));
  if (attention > 0)
    context.line(
        "{} {} to look at: a rung that could not be judged, a submission that could not be read or holds no "
        "rung, or a time that is not believed",
        context.out.paint(Tone::warn, "note:"), counted(static_cast<std::size_t>(attention), "student"));
}

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

struct UnitOptions {
  std::string work;
  std::vector<std::string> keys;
  unsigned cores = 0;  ///< to bind to; 0: to none
  int parent = 0;
};

/// What the engines start. Its own messages are the engine's log.
ExitCode run_unit(Context& context, const UnitOptions& options) {
  if (options.parent > 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != options.parent) return ExitCode::interrupted;
  }
  const Grading grading = load_grading(options.work);
  if (options.cores > 0) bind_to_cores(options.cores);
  ExitCode worst = ExitCode::passed;
  for (const std::string& key : options.keys) {
    try {
      do_unit(grading, context.course(), key);
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted || options.keys.size() == 1) throw;
      std::fprintf(stderr, "%s: %s\n", key.c_str(), failure.what());
      worst = failure.code();
    }
  }
  return worst;
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

  auto unit = std::make_shared<UnitOptions>();
  CLI::App* worker = commands.add("grade-unit", "what ladder grade starts for each unit of work", "",
                                  [unit](Context& context) { return run_unit(context, *unit); });
  worker->group("");  // not for people
  worker->add_option("work", unit->work)->required();
  worker->add_option("keys", unit->keys)->required();
  worker->add_option("--cores", unit->cores);
  worker->add_option("--parent", unit->parent);
}

}  // namespace ladder::cli
