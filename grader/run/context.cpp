#include "grader/run/context.h"

#include <cstdio>
#include <filesystem>

#include "grader/platform/files.h"

namespace ladder::cli {

const Project& Context::project() {
  if (!project_) project_ = find_project();
  return *project_;
}

const Course& Context::course() {
  if (!course_) {
    course_ = load_course(project(), languages);
    for (CourseProblem& problem : course_->problems) problem.file = shown(problem.file);
  }
  return *course_;
}

Progress& Context::progress() {
  if (!progress_) {
    progress_ = std::make_unique<Progress>(project().state());
    if (!progress_->notice().empty())
      for (const std::string& text :
           wrap("note: " + progress_->notice(), static_cast<std::size_t>(out.width)))
        line("{}", out.paint(Tone::warn, text));
  }
  return *progress_;
}

std::string Context::shown(const std::filesystem::path& path) {
  std::error_code ignored;
  return ladder::cli::shown(path, std::filesystem::current_path(ignored));
}

std::string Context::as_typed(std::string text) const {
  if (!project_ || !project_->in_place()) return text;
  for (std::size_t at; (at = text.find("./ladder")) != text.npos;) text.erase(at, 2);
  return text;
}

void Context::wrapped(std::string_view text, std::string_view indent) const {
  if (text.empty()) return;
  std::vector<std::string> lines;
  add_wrapped(lines, text, indent, out);
  for (const std::string& each : lines) line("{}", each);
}

void Context::put(const std::string& text) const { std::fputs((as_typed(text) + "\n").c_str(), stdout); }

}  // namespace ladder::cli
