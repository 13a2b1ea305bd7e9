// ladder reset: the file to start with back in place, the student's kept.
#include "grader/actions/reset.h"

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/names.h"

namespace ladder::cli {

void add_reset(Commands& commands) {
  auto rung = std::make_shared<std::string>();
  CLI::App* command =
      commands.add("reset", "start a rung over; your file is kept",
                   "  ./ladder reset 09.3    puts the skeleton back; your file goes to .ladder/backups\n",
                   [rung](Context& context) {
                     expect_own_folder(context.project());
                     const Selection selection = find_rung(context.course(), *rung);
                     reset_rung(context, *selection.lesson, selection.rung());
                     return ExitCode::passed;
                   });
  command->add_option("rung", *rung, "a rung, such as 09.3")->required();
}

}  // namespace ladder::cli
