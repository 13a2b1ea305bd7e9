// ladder reset: the file to start with back in place, the student's kept.
#include "grader/cli/commands/commands.h"
#include "grader/cli/files.h"
#include "grader/cli/names.h"
#include "grader/cli/rung_files.h"

namespace ladder::cli {
namespace {

struct Options {
  std::string rung;
};

ExitCode reset(Context& context, const Options& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = *selection.rungs.front();
  const std::filesystem::path file = lesson.student_file(rung);
  const std::string skeleton = skeleton_of(lesson, rung);
  const bool exists = std::filesystem::exists(file);
  if (exists && read_file(file) == skeleton) {
    context.line("{} is as it was in the beginning; nothing to reset.", context.shown(file));
    return ExitCode::passed;
  }
  std::filesystem::path kept;
  if (exists) kept = keep_numbered_copy(file, backup_folder(context.project(), lesson));
  write_file(file, skeleton);
  context.line("{} is the file to start with again.", context.out.paint(Tone::strong, context.shown(file)));
  if (exists) {
    context.line("Yours was kept: {}", context.shown(kept));
    context.line("  back with  {}", context.out.paint(Tone::code, fmt::format("cp {} {}", context.shown(kept),
                                                                              context.shown(file))));
  }
  return ExitCode::passed;
}

}  // namespace

void add_reset(Commands& commands) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      commands.add("reset", "start a rung over; your file is kept",
                   "  ./ladder reset 09.3    puts the skeleton back; your file goes to .ladder/backups\n",
                   [options](Context& context) { return reset(context, *options); });
  command->add_option("rung", options->rung, "a rung, such as 09.3")->required();
}

}  // namespace ladder::cli
