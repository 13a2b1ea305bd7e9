// ladder dev edition: what an instructor hands out.
#include "grader/actions/edition.h"
#include "grader/apps/ladder/commands/author/dev.h"

namespace ladder::cli {

void add_dev_edition(Commands& commands, CLI::App* dev) {
  auto request = std::make_shared<EditionRequest>();
  auto to = std::make_shared<std::string>("cuda-ladder-student.tar.gz");
  CLI::App* command = commands.add(
      "edition", "the course as it is handed out: without solutions, tests and what is hidden",
      "  ./ladder dev edition student                        cuda-ladder-student.tar.gz\n"
      "  ./ladder dev edition student ../course              a folder, made or brought up to date\n"
      "  ./ladder dev edition student --lessons 01,02,05     these lessons only\n"
      "Lines between // BEGIN HIDDEN and // END HIDDEN in a lesson's files stay behind.\n",
      [request, to](Context& context) {
        request->to = *to;
        return make_edition(context, *request);
      },
      dev);
  command->add_option("edition", request->name, "for whom: student")
      ->required()
      ->check(CLI::IsMember({"student"}));
  command->add_option("to", *to, "a folder or an archive (.tar.gz, .tgz, .tar.xz)")->type_name("WHERE");
  command->add_option("--lessons", request->lessons, "these lessons only")
      ->delimiter(',')
      ->type_name("NN,NN");
}

}  // namespace ladder::cli
