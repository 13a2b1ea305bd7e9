// What every command gets: the terminal, the checkout and the course, read when first asked for.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/progress.h"
#include "grader/course/project.h"
#include "grader/course/translation.h"
#include "grader/platform/failure.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {

class Context {
 public:
  Terminal out = Terminal::of(1);
  std::vector<std::string> languages = wanted_languages();  ///< of the lessons' texts; before course()

  const Project& project();
  const Course& course();
  Progress& progress();
  /// Has the progress read anew when it is next asked for: another process may have changed it.
  void forget_progress() { progress_.reset(); }

  /// Prints a line to stdout.
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) const {
    put(fmt::format(format, std::forward<T>(values)...));
  }
  void line() const { put(""); }
  /// Prints a text over as many lines as it needs; of an empty one nothing.
  void wrapped(std::string_view text, std::string_view indent = "") const;

  /// What is told to type, as it is typed here: `ladder` where a package brought it and there is no ./ladder.
  std::string as_typed(std::string text) const;
  /// A path as a user would type it in the folder they are in.
  std::string shown(const std::filesystem::path& path);

 private:
  void put(const std::string& text) const;
  std::optional<Project> project_;
  std::optional<Course> course_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace ladder::cli
