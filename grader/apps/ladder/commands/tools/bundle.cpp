// ladder bundle: a lesson to take along to a machine that has a driver and nothing else.
#include <algorithm>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/course/rung_files.h"
#include "grader/platform/process/run_process.h"
#include "grader/remote/package.h"
#include "grader/remote/scripts.h"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string what;
  bool solution = false;
  std::string arch;  ///< for a GPU that is older than what is built for here
  std::string out;
};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), by);
  return text;
}

/// Builds what goes in; a rung that does not compile stays behind.
void build_all(Context& context, const Selection& selection, Side side, bool with_gpu,
               const std::string& arch) {
  TransientLine progress(context.out);
  BuildRequest wanted{selection.lesson, selection.rungs, side, {selection.lesson->short_name + "_lesson"}};
  wanted.arch = arch;
  if (!fs::exists(context.project().binary("runner-sim"))) wanted.also.push_back("runner-sim");
  if (with_gpu) wanted.also.insert(wanted.also.end(), {"runner-gpu", "harness_peaks"});
  const BuildResult built = build(context.project(), wanted, progress);
  for (const auto& [rung, messages] : built.refused)
    context.line("{} {} does not compile and stays behind", context.out.paint(Tone::warn, "note:"), rung);
  if (built.refused.size() == selection.rungs.size())
    throw Failure(ExitCode::failed, "no rung compiles, so there is nothing to take along",
                  "./ladder run " + selection.lesson->id() + " says why.");
}

ExitCode bundle(Context& context, const Options& options) {
  expect_checkout(context.project(), "ladder bundle");
  const Selection selection = find_selection(context.course(), options.what);
  const LessonInfo& lesson = *selection.lesson;
  const Side side = options.solution ? Side::solution : Side::student;
  if (options.solution) expect_solutions(context.project());
  // The target runner-gpu is there where CMake found the CUDA runtime.
  const bool with_gpu = !capture({"grep", "-q", "^LADDER_CUDART:.*NOTFOUND",
                                  (context.project().build / "CMakeCache.txt").string()})
                             .status.ok();
  build_all(context, selection, side, with_gpu, options.arch);

  Package package;
  package.program(context.project(), "ladder");
  package.program(context.project(), "runner-sim");
  if (with_gpu) package.program(context.project(), "runner-gpu");
  package.rungs(context.project(), selection, side);
  const fs::path folder = fs::path("lessons") / lesson.name;
  package.link(lesson.folder / "lesson.toml", folder / "lesson.toml");
  const fs::path finished = fs::path("solutions") / lesson.name;
  for (const RungInfo* rung : selection.rungs) {
    const std::string file = rung->name + ".cu";
    package.link(source_of(lesson, *rung, side), (options.solution ? finished : folder) / file);
    // What the file began as tells which tasks are open, and gives nothing away.
    if (!options.solution)
      package.write(fs::path("skeletons") / lesson.name / file, skeleton_of(lesson, *rung), false);
  }
  package.write("CMakeLists.txt", "# a bundle of CUDA Ladder: nothing is built here\n", false);
  const std::string script =
      replaced(kBundleRun, "LESSON", selection.one_rung ? lesson.id(selection.rung()) : lesson.id());
  package.write("run", replaced(script, " OPTIONS", options.solution ? " --solution" : ""), true);

  const std::string name = "cuda-ladder-" + lesson.name;
  const fs::path out = options.out.empty() ? fs::path(name + ".tar.gz") : fs::path(options.out);
  const Captured packed = capture({"tar", "-C", package.folder().string(), "--transform",
                                   "s,^\\.," + name + ",", "-chzf", fs::absolute(out).string(), "."});
  if (!packed.status.ok())
    throw Failure(ExitCode::environment, "tar could not write " + out.string(), packed.output);
  context.line("written: {} ({:.1f} MB)", context.out.paint(Tone::code, context.shown(fs::absolute(out))),
               static_cast<double>(fs::file_size(out)) / 1e6);
  context.line("  there  {}", context.out.paint(Tone::code, fmt::format("tar xf {} && {}/run",
                                                                        out.filename().string(), name)));
  if (!with_gpu)
    context.line("{} no CUDA runtime was found here, so only the simulator went in",
                 context.out.paint(Tone::warn, "note:"));
  return ExitCode::passed;
}

}  // namespace

void add_bundle(Commands& commands) {
  const auto [command, options] =
      commands.add("bundle", "pack a lesson for a machine that has only the driver",
                   "  ./ladder bundle 09                    cuda-ladder-09_reduction.tar.gz\n"
                   "  ./ladder bundle 09.3 --out mine.tar.gz\n"
                   "Unpacked there, ./run is `./ladder run` with what was built here.\n",
                   bundle);
  command->add_option("rung", options.what, "a lesson such as 09, or a rung such as 09.3")->required();
  command->add_flag("--solution", options.solution, "the finished rungs instead of your files");
  add_architecture(command, options.arch);
  command->add_option("-o,--out", options.out, "where the tarball goes")->type_name("FILE");
}

}  // namespace ladder::cli
