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
    course_ = load_course(project());
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

void Context::put(const std::string& text) const { std::fputs((text + "\n").c_str(), stdout); }

}  // namespace ladder::cli
