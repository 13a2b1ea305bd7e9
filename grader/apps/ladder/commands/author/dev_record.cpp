// ladder dev record: what a GPU measured, into the lessons and their READMEs, and what the model says of
// solutions.
#include <chrono>
#include <ctime>

#include "grader/apps/ladder/commands/author/dev.h"
#include "grader/course/names.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/present/readme_tables.h"
#include "grader/records/measured.h"
#include "grader/records/modelled.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

struct DevRecordOptions {
  std::vector<std::string> runs;
  std::string date;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// Where a README has no marks yet, the table goes before its myths and questions.
std::string with_marks(const std::string& readme) {
  const std::string marks = "<!-- measured: begin (by ladder dev record) -->\n<!-- measured: end -->\n\n";
  for (const char* before : {"> **Myth, measured.**", "## Questions"})
    if (const std::size_t at = readme.find(before); at != std::string::npos)
      return readme.substr(0, at) + marks + readme.substr(at);
  return readme + "\n" + marks;
}

void write_lesson_readme(Context& context, const LessonInfo& lesson) {
  const std::optional<Measured> measured = load_measured(lesson);
  if (!measured) return;
  const fs::path file = lesson.folder / "README.md";
  const std::string table = fmt::format(
      "<details><summary>What an {} measured on {}, as the ladder printed "
      "it</summary>\n\n```\n{}```\n</details>\n",
      measured->device.name, measured->date, ladders_of(*measured, lesson));
  const std::string old = read_file(file);
  std::optional<std::string> text = between_marks(old, "measured", table);
  if (!text) text = between_marks(with_marks(old), "measured", table);
  if (*text == old) return;
  write_file(file, *text);
  context.line("updated {}", context.shown(file));
}

void write_map(Context& context) {
  const fs::path file = context.project().root / "README.md";
  const std::string old = read_file(file);
  const std::optional<std::string> text = between_marks(old, "map", map_table(context.course(), "lessons/"));
  if (!text)
    throw Failure(ExitCode::failed,
                  fmt::format("{} has no place for the map of lessons", context.shown(file)),
                  "Put the lines <!-- map: begin --> and <!-- map: end --> where it belongs.");
  if (*text == old) return;
  write_file(file, *text);
  context.line("updated {}", context.shown(file));
}

ExitCode record(Context& context, const DevRecordOptions& options) {
  for (const std::string& name : options.runs) {
    const nlohmann::json run = nlohmann::json::parse(read_file(name), nullptr, false);
    if (!run.is_object() || !run.contains("lesson") || !run.contains("rungs") || !run.contains("device"))
      throw Failure(ExitCode::usage, name + " is not what ladder run --json writes");
    const LessonInfo& lesson = find_lesson(context.course(), run["lesson"].get<std::string>());
    const bool modelled = run["device"].value("modelled", false);
    const fs::path file = lesson.folder / (modelled ? "modelled.json" : "measured.json");
    const nlohmann::json kept =
        modelled ? modelled_of(run, lesson)
                 : worth_keeping(run, lesson, options.date.empty() ? today() : options.date);
    write_file(file, kept.dump(1) + "\n");
    context.line("recorded {}", context.shown(file));
  }
  for (const LessonInfo& lesson : context.course().lessons) write_lesson_readme(context, lesson);
  write_map(context);
  return ExitCode::passed;
}

}  // namespace

void add_dev_record(Commands& commands, CLI::App* dev) {
  const auto [command, options] =
      commands.add("record", "keep what a GPU measured, and write it into the READMEs",
                   "  ./ladder run 09 --solution --device gpu --json 09.json    on the GPU\n"
                   "  ./ladder dev record 09.json                               anywhere\n"
                   "  ./ladder dev record                                       only the READMEs anew\n"
                   "What `--device sim` modelled is kept beside it, for students to compare theirs with.\n",
                   record, dev);
  command->add_option("runs", options.runs, "files that ladder run --solution --json wrote")
      ->type_name("FILE");
  command->add_option("--date", options.date, "the day of the runs, where it was not today")
      ->type_name("YYYY-MM-DD");
}

}  // namespace ladder::cli
