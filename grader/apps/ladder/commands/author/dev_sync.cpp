// ladder dev sync: makes every skeleton anew from its solution.
#include <algorithm>

#include "grader/apps/ladder/commands/author/dev.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"
#include "grader/course/text/skeleton.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

struct Tally {
  int written = 0, unchanged = 0, broken = 0;
};

/// A skeleton that git holds in just this form can be had back from git; anything else is somebody's work.
bool committed(const fs::path& root, const fs::path& file) {
  const std::string relative = file.lexically_relative(root).generic_string();
  const Captured shown = capture({"git", "-C", root.string(), "show", "HEAD:" + relative});
  return shown.status.ok() && shown.output == read_file(file);
}

void sync_rung(Context& context, const LessonInfo& lesson, const std::string& stem, Tally& tally) {
  const fs::path solution = lesson.solutions_folder / (stem + ".cu"), file = lesson.folder / (stem + ".cu");
  const Skeleton skeleton = make_skeleton(read_file(solution));
  for (const MarkerProblem& problem : skeleton.problems)
    context.line("{} {}:{}: {}", context.out.paint(Tone::bad, "error:"), context.shown(solution),
                 problem.line, problem.message);
  if (!skeleton.problems.empty()) {
    ++tally.broken;
    return;
  }
  const bool exists = fs::exists(file);
  if (exists && read_file(file) == skeleton.text) {
    ++tally.unchanged;
    return;
  }
  std::string note;
  if (exists && !committed(context.project().root, file))
    note = fmt::format("  (the file that was there: {})",
                       context.shown(keep_numbered_copy(file, backup_folder(context.project(), lesson))));
  write_file(file, skeleton.text);
  ++tally.written;
  context.line("{} {}{}", exists ? "updated" : "created", context.shown(file),
               context.out.paint(Tone::dim, note));
}

ExitCode sync(Context& context, const std::string& only) {
  Tally tally;
  const Course& course = context.course();
  const LessonInfo* one = only.empty() ? nullptr : &find_lesson(course, only);
  for (const LessonInfo& lesson : course.lessons) {
    if (one != nullptr && one != &lesson) continue;
    for (const std::string& stem : rung_stems(lesson.solutions_folder))
      sync_rung(context, lesson, stem, tally);
  }
  for (const CourseProblem& problem : course.problems) {
    context.line("{} {}", context.out.paint(Tone::bad, "error:"), problem.text());
    ++tally.broken;
  }
  context.line("{} written, {} as they should be{}", tally.written, tally.unchanged,
               tally.broken > 0 ? fmt::format(", {} not made", tally.broken) : "");
  return tally.broken > 0 ? ExitCode::failed : ExitCode::passed;
}

}  // namespace

std::vector<std::string> rung_stems(const fs::path& folder) {
  std::vector<std::string> stems;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".cu" && split_numbered(stem).number >= 0) stems.push_back(stem);
  }
  std::sort(stems.begin(), stems.end(), [](const std::string& a, const std::string& b) {
    return std::pair(split_numbered(a).number, a) < std::pair(split_numbered(b).number, b);
  });
  return stems;
}

void add_dev_sync(Commands& commands, CLI::App* dev) {
  auto lesson = std::make_shared<std::string>();
  CLI::App* command = commands.add(
      "sync", "make the skeletons anew from the solutions",
      "  ./ladder dev sync       all lessons\n"
      "  ./ladder dev sync 09    one lesson\n"
      "A file that is not committed in its present form is kept in .ladder/backups first.\n",
      [lesson](Context& context) { return sync(context, *lesson); }, dev);
  command->add_option("lesson", *lesson, "one lesson only");
}

}  // namespace ladder::cli
