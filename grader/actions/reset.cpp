#include "grader/actions/reset.h"

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"

namespace ladder::cli {

namespace {
namespace fs = std::filesystem;

std::string words_of_kept(Context& context, const fs::path& kept, const fs::path& file) {
  return fmt::format(
      "Yours was kept: {}\n  back with  {}", context.shown(kept),
      context.out.paint(Tone::code, fmt::format("cp {} {}", context.shown(kept), context.shown(file))));
}

}  // namespace

void reset_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const fs::path file = lesson.student_file(rung);
  const std::string skeleton = skeleton_of(lesson, rung);
  const bool exists = fs::exists(file);
  if (exists && read_file(file) == skeleton) {
    context.line("{} is as it was in the beginning; nothing to reset.", context.shown(file));
    return;
  }
  fs::path kept;
  if (exists) kept = keep_numbered_copy(file, backup_folder(context.project(), lesson));
  write_file(file, skeleton);
  context.line("{} is the file to start with again.", context.out.paint(Tone::strong, context.shown(file)));
  if (exists) context.line("{}", words_of_kept(context, kept, file));
}

void replace_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung, const std::string& text) {
  const fs::path file = lesson.student_file(rung);
  const std::string former = fs::exists(file) ? read_file(file) : std::string();
  if (former == text) return;
  if (!former.empty() && former != skeleton_if_there(lesson, rung))
    // Not to stdout: what follows may be JSON for a program.
    fmt::print(
        stderr, "{}\n",
        words_of_kept(context, keep_numbered_copy(file, backup_folder(context.project(), lesson)), file));
  write_file(file, text);
}

}  // namespace ladder::cli
