#include "grader/course/includes.h"

#include <algorithm>
#include <regex>

#include "grader/platform/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

fs::path root_of(const LessonInfo& lesson) { return lesson.folder.parent_path().parent_path(); }

}  // namespace

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex directive(R"re(^\s*#\s*include\s*["<]([^">]+)[">].*$)re");
  std::vector<Include> found;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    std::smatch match;
    if (line.size() < 1000 && std::regex_match(line, match, directive)) found.push_back({number, match[1]});
  }
  return found;
}

std::vector<fs::path> headers_for(const LessonInfo& lesson) {
  std::vector<fs::path> headers;
  std::error_code missing;
  for (const fs::path& folder : {lesson.folder, root_of(lesson) / "common"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cuh")
        headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  return headers;
}

fs::path in_checkout(const LessonInfo& lesson, const fs::path& file, const std::string& name) {
  const fs::path root = root_of(lesson).lexically_normal();
  // In the order in which the compiler looks: beside the file, then where -I points.
  for (const fs::path& folder : {file.parent_path(), root, lesson.folder}) {
    const fs::path candidate = (folder / name).lexically_normal(), below = candidate.lexically_relative(root);
    std::error_code error;
    if (!below.empty() && *below.begin() != ".." && fs::exists(candidate, error)) return candidate;
  }
  return {};
}

}  // namespace ladder::cli
