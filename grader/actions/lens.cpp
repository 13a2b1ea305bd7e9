// Pictures of what the warps of a rung did.
#include <stdlib.h>

#include "grader/actions/lens.h"

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/present/verdict_view.h"
#include "simulator/lens/page.h"

namespace ladder::cli {
namespace fs = std::filesystem;

RungResult look_at(Context& context, const Selection& selection, Side side) {
  ::setenv("LADDER_SIM_LENS", "1", 1);
  LessonRunOptions options;
  options.side = side;
  options.device = "sim";
  options.quick = true;
  TransientLine progress(context.out);
  LessonRunResult result = run_lesson(context.project(), selection, options, {}, progress);
  if (result.rungs.empty()) throw Failure(ExitCode::environment, "the simulator did not run the rung");
  return std::move(result.rungs.front());
}

ExitCode show_lens(Context& context, const Selection& selection, Side side, fs::path page, LensPart part) {
  const LessonInfo& lesson = *selection.lesson;
  const RungInfo& rung = selection.rung();
  const RungResult ran = look_at(context, selection, side);
  const std::string file = context.shown(source_of(lesson, rung, side)),
                    title = lesson.id(rung) + " " + spoken(rung);
  if (page.empty()) page = context.project().state() / "lens" / (lesson.id(rung) + ".html");
  const auto tell_page = [&] {
    context.line();
    context.line("  as a page  {}", context.out.paint(Tone::code, context.shown(page)));
  };
  if (ran.verdict.kernels.empty()) {
    const VerdictView view{lesson, rung, ran.verdict, file, ran.open_todos, side == Side::solution};
    for (const std::string& line : verdict_block(view, context.out)) context.line("{}", line);
    const std::string drawn = sim::lens::page_of(title, ran.verdict.findings);
    if (!drawn.empty()) {
      for (const std::string& line : finding_pictures(ran.verdict.findings, context.out))
        context.line("{}", line);
      write_file(page, drawn);
      tell_page();
    } else {
      context.line();
      context.line("This cannot be drawn. There is something to look at once the rung is right.");
    }
    return ExitCode::failed;
  }
  for (const std::string& line : lens_lines(ran.verdict.kernels, context.out, part)) context.line("{}", line);
  write_lens_page(page, title, ran.verdict.kernels);
  tell_page();
  return ExitCode::passed;
}

}  // namespace ladder::cli
