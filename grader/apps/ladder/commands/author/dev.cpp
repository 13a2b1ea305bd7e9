// ladder dev: for authors of lessons.
#include "grader/apps/ladder/commands/author/dev.h"

namespace ladder::cli {

void add_dev(Commands& commands) {
  CLI::App* dev = commands.add(
      "dev", "for authors of lessons and instructors: check, sync, record, pictures, edition", "", nullptr);
  dev->require_subcommand(1);
  add_dev_check(commands, dev);
  add_dev_sync(commands, dev);
  add_dev_record(commands, dev);
  add_dev_pictures(commands, dev);
  add_dev_edition(commands, dev);
  add_dev_site(commands, dev);
}

}  // namespace ladder::cli
