// ladder init, ladder setup: a folder to work in, and the compiler, where the course was installed and not
// cloned.
#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// The course that a package brought, or this checkout.
fs::path course_of(const Project& project) {
  return project.packaged() ? project.tools.parent_path().parent_path() / "share" / "cuda-ladder"
                            : project.root;
}

/// Runs one of the course's scripts, which say themselves what goes wrong.
ExitCode run_script(Context& context, const std::string& name, const std::string& argument) {
  const fs::path course = course_of(context.project());
  const fs::path script = course / "cmake" / "setup" / name;
  const ExitStatus status = run_process({{"sh", script.string(), course.string(), argument}, {}},
                                        [&](std::string_view line) { context.line("{}", line); });
  return status.ok() ? ExitCode::passed : ExitCode::environment;
}

}  // namespace

void add_init(Commands& commands) {
  auto folder = std::make_shared<std::string>("cuda-ladder");
  CLI::App* command =
      commands.add("init", "make a folder of your own: rungs to fill in, and links to the course",
                   "  ladder init              ./cuda-ladder\n"
                   "  ladder init ~/cuda       another place\n"
                   "Called again, it brings what is new; a rung that is there is never overwritten.\n",
                   [folder](Context& context) {
                     return run_script(context, "init.sh", fs::absolute(*folder).lexically_normal().string());
                   });
  command->add_option("folder", *folder, "a new folder, or one that this made before")->type_name("DIR");
}

void add_setup(Commands& commands) {
  commands
      .add("setup", "fetch the CUDA compiler where there is none", "",
           [](Context& context) {
             if (!context.project().packaged())
               throw Failure(ExitCode::usage, "in a checkout, ./ladder setup is what sets up");
             return run_script(context, "installed.sh", user_cache().string());
           })
      ->group("");  // in --help of a checkout's ./ladder it is the script's
}

}  // namespace ladder::cli
