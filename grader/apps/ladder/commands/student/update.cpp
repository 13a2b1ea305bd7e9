// ladder update: a newer edition of the course, without touching what was written.
#include "grader/actions/edition.h"
#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

void add_update(Commands& commands) {
  auto from = std::make_shared<std::string>();
  CLI::App* command =
      commands.add("update", "bring a newer edition of the course into this folder; your rungs stay",
                   "  ./ladder update ~/Downloads/cuda-ladder-student.tar.gz\n"
                   "In a clone of the course, `git pull` is what brings the news.\n",
                   [from](Context& context) { return update_edition(context, *from); });
  command->add_option("from", *from, "the archive that you were given, or a folder it was unpacked to")
      ->required()
      ->type_name("FILE");
}

}  // namespace ladder::cli
