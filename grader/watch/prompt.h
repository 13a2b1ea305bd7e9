// A question in the footer of `ladder watch`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "grader/platform/terminal.h"

namespace ladder::cli::watch {

class Prompt {
 public:
  /// One key answers: y is yes, anything else no.
  static Prompt yes_or_no(std::string question, std::function<void(bool)> then);
  /// A line, ended by Enter; Escape gives an empty one.
  static Prompt line(std::string question, std::function<void(const std::string&)> then);

  /// @return the answer, when this key completed it
  std::optional<std::string> press(char key);
  /// Hands the answer on.
  void finish(const std::string& answer) const { then_(answer); }
  std::string shown(const Terminal& terminal) const;

 private:
  Prompt(std::string question, bool one_key, std::function<void(const std::string&)> then)
      : question_(std::move(question)), one_key_(one_key), then_(std::move(then)) {}

  std::string question_, typed_;
  bool one_key_;
  std::function<void(const std::string&)> then_;
};

}  // namespace ladder::cli::watch
