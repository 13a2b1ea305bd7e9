// ladder run: builds, judges and times rungs.
#include "grader/actions/run.h"

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

void add_run(Commands& commands) {
  struct Options : RunOptions {
    std::string what;
    bool solution = false;
  };
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
                     return run_and_show(context, find_selection(context.course(), options->what), *options);
                   });
  command->add_option("rung", options->what, "a rung such as 09.3, or a lesson such as 09")->required();
  command->add_flag("--solution", options->solution, "run the solution instead of your file");
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
