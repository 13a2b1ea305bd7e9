// ladder lens: pictures of what the warps of a rung did.
#include "grader/actions/lens.h"

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {
namespace {

struct LensOptions {
  std::string rung;
  bool solution = false, timeline = false;
  std::string page;
};

}  // namespace

void add_lens(Commands& commands) {
  auto options = std::make_shared<LensOptions>();
  CLI::App* command =
      commands.add("lens", "show what a rung's warps did: sectors, banks and lanes, line by line",
                   "  ./ladder lens 05.1              your file, on the simulator\n"
                   "  ./ladder lens 05.1 --solution   the finished rung\n"
                   "  ./ladder lens 23.7 --timeline   when copies, waits and tensor cores are at work\n"
                   "  ./ladder lens 05.1 --html page.html\n",
                   [options](Context& context) {
                     return show_lens(context, find_rung(context.course(), options->rung),
                                      options->solution ? Side::solution : Side::student, options->page,
                                      options->timeline ? LensPart::timeline : LensPart::all);
                   });
  command->add_option("rung", options->rung, "which, as 05.1 or transpose.1_naive")
      ->required()
      ->type_name("RUNG");
  command->add_flag("--solution", options->solution, "the finished rung instead of your file");
  command->add_flag(
      "--timeline", options->timeline,
      "only when copies are under way, barriers are waited for and tensor cores work: one block, modelled");
  command->add_option("--html", options->page, "where the page goes")->type_name("FILE");
}

}  // namespace ladder::cli
