// ladder run: builds, judges and times rungs.
#include "grader/actions/run.h"

#include <iostream>
#include <iterator>

#include "grader/actions/reset.h"
#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

struct Options : RunOptions {
  std::string what;
  bool solution = false;
  std::string from;  ///< a file, "-" for stdin, whose text becomes the rung's file first; empty for none
};

/// Takes the rung's file from elsewhere: an editor's buffer, or a notebook's cell.
void take(Context& context, const Selection& selection, const Options& options) {
  if (!selection.one_rung || options.solution)
    throw Failure(ExitCode::usage, "--from brings the file of one rung of yours",
                  "As in  ./ladder run 09.3 --from my.cu");
  const std::string text = options.from == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                               : read_file(options.from);
  if (text.empty()) throw Failure(ExitCode::usage, "--from brought nothing", "The rung's file is as it was.");
  replace_rung(context, *selection.lesson, *selection.rungs.front(), text);
}

}  // namespace

void add_run(Commands& commands) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      commands.add("run", "build, check and time a rung or a whole ladder",
                   "  ./ladder run 09.3                one rung: passed, or what is wrong and where\n"
                   "  ./ladder run 09                  the ladder of lesson 09\n"
                   "  ./ladder run 09 --solution       the same with the finished rungs\n"
                   "  ./ladder run 09 --device sim     on the simulator although there is a GPU\n"
                   "  ./ladder run 09 --on me@gpubox   on a GPU elsewhere\n"
                   "  ./ladder run 09.3 --json -       for programs\n",
                   [options](Context& context) {
                     options->side = options->solution ? Side::solution : Side::student;
                     const Selection selection = find_selection(context.course(), options->what);
                     if (!options->from.empty()) take(context, selection, *options);
                     return run_and_show(context, selection, *options);
                   });
  command->add_option("rung", options->what, "a rung such as 09.3, or a lesson such as 09")->required();
  command->add_flag("--solution", options->solution, "run the solution instead of your file");
  command
      ->add_option("--from", options->from,
                   "take the rung's file from here first, or from stdin for -; what it replaces is kept")
      ->type_name("FILE");
  command->add_option("--device", options->device, "sim, gpu, or auto: the GPU if there is one")
      ->check(CLI::IsMember({"auto", "sim", "gpu"}))
      ->type_name("WHICH");
  command
      ->add_option(
          "--on", options->on,
          "run on another machine, reached by ssh; what is built here is copied there and removed afterwards")
      ->type_name("USER@HOST");
  add_architecture(command, options->arch);
  command->add_flag("--check-only", options->check_only, "check results, do not time");
  command->add_flag("--quick", options->quick, "check small cases only");
  command->add_option("--seed", options->seed, "the seed a failure was reported with, to see it again")
      ->type_name("N");
  command->add_option("--json", options->json, "write the verdicts to a file, or - for stdout")
      ->type_name("FILE");
}

}  // namespace ladder::cli
