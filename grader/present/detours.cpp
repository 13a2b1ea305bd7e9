#include "grader/present/detours.h"

#include <fmt/format.h>

#include "grader/course/rung_files.h"
#include "language/catalogue.h"

namespace ladder::cli {

std::string detour_mark(const Terminal& terminal) { return terminal.pick("↷", "@"); }

void append_detour(std::vector<std::string>& lines, const LessonInfo& lesson, const RungInfo& rung,
                   const Terminal& terminal) {
  if (rung.detour.empty()) return;
  add_wrapped(lines,
              tr("{} detour, {} {}: {}", detour_mark(terminal), lesson.id(rung), spoken(rung), rung.detour),
              "  ", terminal);
}

}  // namespace ladder::cli
