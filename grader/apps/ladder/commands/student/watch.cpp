// ladder watch: the main way to work.
#include "grader/watch/watch.h"

#include "grader/apps/ladder/commands/commands.h"
#include "grader/present/map_view.h"

namespace ladder::cli {
namespace {

struct WatchOptions {
  std::string rung;
  watch::WatchOptions watch;
  bool poll = false, manual = false;
};

}  // namespace

void add_watch(Commands& commands) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command = commands.add(
      "watch", "the main way to work: checks a rung each time you save it",
      "  ./ladder watch          the rung to go on with\n"
      "  ./ladder watch 09.3     this one\n"
      "  ./ladder watch --page   with the page of ladder serve beside it\n"
      "  ./ladder watch --poll   where saves are not noticed by themselves\n",
      [options](Context& context) {
        if (options->poll) options->watch.notice = watch::Notice::poll;
        if (options->manual) options->watch.notice = watch::Notice::manual;
        return watch::watch(context, rung_to_work_on(context.course(), context.progress(), options->rung),
                            options->watch);
      });
  command->add_option("rung", options->rung, "a rung such as 09.3, or a lesson such as 09");
  command
      ->add_option("--device", options->watch.lesson_run.device, "sim, gpu, or auto: the GPU if there is one")
      ->check(CLI::IsMember({"auto", "sim", "gpu"}))
      ->type_name("WHICH");
  add_architecture(command, options->watch.lesson_run.arch);
  command->add_flag("--check-only", options->watch.lesson_run.check_only, "check results, do not time");
  command->add_flag("--page", options->watch.page, "serve the page of ladder serve, too");
  CLI::Option* poll =
      command->add_flag("--poll", options->poll, "look at the file twice a second: for network file systems");
  command->add_flag("--manual", options->manual, "check only when you press Enter")->excludes(poll);
}

}  // namespace ladder::cli
