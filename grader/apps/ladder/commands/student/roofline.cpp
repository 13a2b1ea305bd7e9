// ladder roofline: every rung that was timed, under the roof of its machine.
#include <set>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/files.h"
#include "grader/present/roofline_view.h"
#include "grader/records/times.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

struct RooflineOptions {
  bool solution = false, recorded = false;
  std::string picture;
};

std::optional<Roofline> find(Context& context, const RooflineOptions& options) {
  if (options.recorded) return recorded_roofline(context.course());
  return kept_roofline(context.project().state(), context.course(),
                       options.solution ? Side::solution : Side::student);
}

ExitCode roofline(Context& context, const RooflineOptions& options) {
  const std::optional<Roofline> found = find(context, options);
  if (!found)
    throw Failure(ExitCode::failed, "no rung was timed here yet",
                  options.solution ? "./ladder run 19 --solution times the finished rungs of a lesson."
                                   : "./ladder run 19 times the rungs of a lesson; each that passes gets its "
                                     "place. --recorded shows those of the READMEs.");
  context.line("{}", context.out.paint(Tone::strong, "Roofline of " + found->device));
  if (found->modelled)
    context.line("{}", context.out.paint(Tone::warn, "of the simulator's model: nothing of it was measured"));
  context.line();
  context.line("  {:<40}{:>8.2f} TB/s", "memory", found->gigabytes_per_s / 1e3);
  for (const Roof& roof : found->roofs)
    context.line("  {:<40}{:>8.1f} TFLOP/s, from {:.3g} flop/B on", roof.name, roof.gigaflops_per_s / 1e3,
                 roof.gigaflops_per_s / found->gigabytes_per_s);
  fs::path picture = options.picture;
  if (picture.empty()) picture = context.project().state() / "roofline.svg";
  if (picture.has_parent_path()) fs::create_directories(picture.parent_path());
  write_file(picture, roofline_svg(*found));
  std::set<std::string> lessons;
  for (const RooflinePoint& point : found->points) lessons.insert(point.lesson);
  context.line();
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  context.line("  {} of {}, drawn in {}", counted(found->points.size(), "time"),
               counted(lessons.size(), "lesson"), context.out.paint(Tone::code, context.shown(picture)));
  return ExitCode::passed;
}

}  // namespace

void add_roofline(Commands& commands) {
  const auto [command, options] =
      commands.add("roofline", "draw every rung you have timed under the roof of your machine",
                   "  ./ladder roofline              your rungs, as they were last run\n"
                   "  ./ladder roofline --solution   the finished ones\n"
                   "  ./ladder roofline --recorded   those of the READMEs\n",
                   roofline);
  command->add_flag("--solution", options.solution, "the finished rungs instead of yours");
  command->add_flag("--recorded", options.recorded, "what is recorded in the lessons' READMEs");
  command->add_option("--svg", options.picture, "where the picture goes")->type_name("FILE");
}

}  // namespace ladder::cli
