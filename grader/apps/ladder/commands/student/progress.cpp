// ladder progress: how far the student has come, for people and for programs.
#include <nlohmann/json.hpp>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/apps/ladder/commands/student/hunts.h"
#include "grader/course/rung_files.h"
#include "grader/platform/json_file.h"
#include "grader/present/map_view.h"

namespace ladder::cli {
namespace {

using nlohmann::json;

json as_json(const std::optional<Progress::RunRecord>& run) {
  if (!run) return nullptr;
  return {{"outcome", run->outcome}, {"device", run->device}, {"at", run->at}};
}

json as_json(const HuntCount& count) {
  return {{"found", count.found}, {"mended", count.mended}, {"all", count.all}};
}

/// Schema 1: every rung of the course with its state, its last run and its last pass; and the sums.
json progress_json(Context& context) {
  const Progress& progress = context.progress();
  HuntCounts hunts = hunt_counts(context);
  json lessons = json::array();
  std::size_t passed = 0, total = 0;
  double points = 0, points_total = 0;
  for (const LessonInfo& lesson : context.course().lessons) {
    json rungs = json::array();
    for (const RungInfo& rung : lesson.rungs) {
      const RungState state = state_of(progress, lesson, rung);
      ++total;
      points_total += rung.points;
      if (state == RungState::passed) {
        ++passed;
        points += rung.points;
      }
      rungs.push_back({{"id", lesson.id(rung)},
                       {"name", rung.name},
                       {"state", to_string(state)},
                       {"points", rung.points},
                       {"hints_shown", progress.all_hints_shown(lesson, rung)},
                       {"last_run", as_json(progress.last_run(lesson, rung))},
                       {"last_pass", as_json(progress.last_pass(lesson, rung))}});
    }
    lessons.push_back({{"id", lesson.id()},
                       {"name", lesson.name},
                       {"title", lesson.title},
                       {"hunts", as_json(hunts[&lesson])},
                       {"rungs", rungs}});
  }
  return {{"schema", kSchema},
          {"file", progress.file().string()},
          {"passed", passed},
          {"rungs", total},
          {"points", points},
          {"points_total", points_total},
          {"hunts", as_json(sum_of(hunts))},
          {"lessons", std::move(lessons)}};
}

void show_progress(Context& context) {
  const Terminal& out = context.out;
  std::string part;
  std::size_t passed = 0, total = 0;
  for (const LessonInfo& lesson : context.course().lessons) {
    std::size_t here = 0;
    for (const RungInfo& rung : lesson.rungs)
      here += state_of(context.progress(), lesson, rung) == RungState::passed;
    if (lesson.part != part) context.line("{}", out.paint(Tone::accent, part = lesson.part));
    const double share = static_cast<double>(here) / static_cast<double>(lesson.rungs.size());
    context.line("  {} {:>2}/{:<2} {}  {}", lesson.id(), here, lesson.rungs.size(),
                 out.paint(Tone::good, pad_right(bar(share, 20, out.unicode), 20)),
                 shorten(lesson.title, static_cast<std::size_t>(out.width) - 36, out.unicode));
    passed += here;
    total += lesson.rungs.size();
  }
  context.line();
  context.line("{} of {} rungs passed; kept in {}", passed, total, context.shown(context.progress().file()));
  if (const HuntCount hunts = sum_of(hunt_counts(context)); hunts.all > 0)
    context.line("{} of {} kernels of {} found, {} mended", hunts.found, hunts.all,
                 out.paint(Tone::code, "./ladder hunt"), hunts.mended);
}

}  // namespace

void add_progress(Commands& commands) {
  auto for_programs = std::make_shared<bool>(false);
  CLI::App* command =
      commands.add("progress", "how far you are",
                   "  ./ladder progress          a bar for each lesson\n"
                   "  ./ladder progress --json   every rung, its last run and its last pass\n",
                   [for_programs](Context& context) {
                     if (*for_programs)
                       context.line("{}", progress_json(context).dump(2));
                     else
                       show_progress(context);
                     return ExitCode::passed;
                   });
  command->add_flag("--json", *for_programs, "print JSON");
}

}  // namespace ladder::cli
