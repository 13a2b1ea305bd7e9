// ladder dev site: the course's texts as a static site.
#include "grader/actions/page_program.h"
#include "grader/apps/ladder/commands/author/dev.h"

namespace ladder::cli {

void add_dev_site(Commands& commands, CLI::App* dev) {
  auto folder = std::make_shared<std::string>("site");
  CLI::App* command = commands.add(
      "site", "lessons and guides as a static site: navigation, search, dark, phone, print",
      "  ./ladder dev site            site/index.html and a page for each lesson\n"
      "  ./ladder dev site ../public  in this folder\n",
      [folder](Context& context) {
        expect_checkout(context.project(), "ladder dev site");
        return become_page_program(context.project(), {"site", *folder});
      },
      dev);
  command->add_option("folder", *folder, "where it goes")->type_name("FOLDER");
}

}  // namespace ladder::cli
