#include "grader/actions/reset.h"

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"

namespace ladder::cli {

void reset_rung(Context& context, const LessonInfo& lesson, const RungInfo& rung) {
  const std::filesystem::path file = lesson.student_file(rung);
  const std::string skeleton = skeleton_of(lesson, rung);
  const bool exists = std::filesystem::exists(file);
  if (exists && read_file(file) == skeleton) {
    context.line("{} is as it was in the beginning; nothing to reset.", context.shown(file));
    return;
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
}

}  // namespace ladder::cli
