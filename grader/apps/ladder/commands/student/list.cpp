// ladder list: every lesson, or every rung of one, with how it stands.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/apps/ladder/commands/student/hunts.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"
#include "grader/platform/json_file.h"
#include "grader/present/map_view.h"

namespace ladder::cli {
namespace {

using nlohmann::json;

json as_json(Context& context) {
  json lessons = json::array();
  for (const LessonInfo& lesson : context.course().lessons) {
    json rungs = json::array();
    for (const RungInfo& rung : lesson.rungs)
      rungs.push_back({{"id", lesson.id(rung)},
                       {"name", rung.name},
                       {"summary", rung.summary},
                       {"points", rung.points},
                       {"state", to_string(state_of(context.progress(), lesson, rung))},
                       {"detour", rung.detour},
                       {"file", lesson.student_file(rung).string()}});
    lessons.push_back({{"id", lesson.id()},
                       {"name", lesson.name},
                       {"title", lesson.title},
                       {"summary", lesson.summary},
                       {"part", lesson.part},
                       {"difficulty", lesson.difficulty},
                       {"minutes", lesson.minutes},
                       {"prerequisites", lesson.prerequisites},
                       {"rungs", rungs}});
  }
  json problems = json::array();
  for (const CourseProblem& problem : context.course().problems) problems.push_back(problem.text());
  return {{"schema", kSchema}, {"lessons", lessons}, {"problems", problems}};
}

}  // namespace

void add_list(Commands& commands) {
  struct Options {
    std::string lesson;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = commands.add(
      "list", "show the lessons, or the rungs of one",
      "  ./ladder list            all lessons\n"
      "  ./ladder list 09         the rungs of lesson 09 and how each stands\n"
      "  ./ladder list --json     the same for programs\n",
      [options](Context& context) {
        if (options->json) {
          context.line("{}", as_json(context).dump(2));
        } else if (options->lesson.empty()) {
          for (const std::string& line :
               lessons_view(context.course(), context.progress(), hunt_counts(context), context.out))
            context.line("{}", line);
        } else {
          const LessonInfo& lesson = *find_selection(context.course(), options->lesson).lesson;
          for (const std::string& line : rungs_view(lesson, context.progress(), context.out))
            context.line("{}", line);
          context.line();
          context.line("  read   {}", context.out.paint(Tone::code, context.shown(lesson.readme)));
          context.line("  climb  {}", context.out.paint(Tone::code, "./ladder run " + lesson.id()));
          const HuntCounts hunts = hunt_counts(context);
          if (const auto of = hunts.find(&lesson); of != hunts.end())
            context.line("  hunt   {}   {} of {} kernels mended",
                         context.out.paint(Tone::code, "./ladder hunt " + lesson.id()), of->second.mended,
                         of->second.all);
        }
        return ExitCode::passed;
      });
  command->add_option("lesson", options->lesson, "a lesson, such as 09 or reduction; of a rung, its lesson");
  command->add_flag("--json", options->json, "print JSON");
}

}  // namespace ladder::cli
