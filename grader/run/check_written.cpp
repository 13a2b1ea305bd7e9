#include "grader/run/check_written.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/course/text/skeleton.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

constexpr double kLeastShare = 0.25;
constexpr int kLeastMedian = 8, kLeastOfARung = 3;

int count_code(std::string_view text) {
  int count = 0;
  for (const std::string& line : split_lines(text)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && !std::string_view(line).substr(begin).starts_with("//")) ++count;
  }
  return count;
}

}  // namespace

LinesOfCode lines_of_code(std::string_view solution) {
  const int all = count_code(solution);
  return {all, all - count_code(make_skeleton(solution).text)};
}

std::vector<Violation> check_written(const Course& course) {
  std::vector<Violation> violations;
  std::vector<int> of_rungs;
  LinesOfCode total;
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs) {
      if (!std::filesystem::exists(lesson.solution_file(rung))) continue;  // which is said elsewhere
      const LinesOfCode lines = lines_of_code(read_file(lesson.solution_file(rung)));
      total.all += lines.all;
      total.students += lines.students;
      of_rungs.push_back(lines.students);
      if (lines.students < kLeastOfARung && rung.few_lines.empty())
        violations.push_back(
            {lesson.folder / "lesson.toml", rung.toml_line,
             fmt::format("of {} a student writes {} line{}", rung.name, lines.students,
                         lines.students == 1 ? "" : "s"),
             "Leave more of it to the student, or say in `few_lines` why its idea is no more than that."});
    }
  if (of_rungs.empty()) return violations;
  std::sort(of_rungs.begin(), of_rungs.end());
  const int median = of_rungs[of_rungs.size() / 2];
  const double share = static_cast<double>(total.students) / total.all;
  if (share < kLeastShare)
    violations.push_back({{},
                          0,
                          fmt::format("students write {:.1f} % of the solutions' lines; {:.0f} % are wanted",
                                      100 * share, 100 * kLeastShare),
                          "Put more of the rungs' code between the markers."});
  if (median < kLeastMedian)
    violations.push_back(
        {{},
         0,
         fmt::format("of the median rung a student writes {} lines; {} are wanted", median, kLeastMedian),
         "Put more of the rungs' code between the markers."});
  return violations;
}

}  // namespace ladder::cli
