#include "grader/watch/prompt.h"

namespace ladder::cli::watch {

Prompt Prompt::yes_or_no(std::string question, std::function<void(bool)> then) {
  return {std::move(question) + " [y/N] ", true,
          [then = std::move(then)](const std::string& answer) { then(answer == "y"); }};
}

Prompt Prompt::line(std::string question, std::function<void(const std::string&)> then) {
  return {std::move(question), false, std::move(then)};
}

std::optional<std::string> Prompt::press(char key) {
  if (one_key_) return key == 'y' || key == 'Y' ? "y" : "n";
  const auto code = static_cast<unsigned char>(key);
  if (key == '\n' || key == '\r') return typed_;
  if (key == '\033') return "";
  if (key == '\177' || key == '\b') {
    // A character of several bytes goes as a whole.
    while (!typed_.empty() && (static_cast<unsigned char>(typed_.back()) & 0xc0) == 0x80) typed_.pop_back();
    if (!typed_.empty()) typed_.pop_back();
  } else if (code >= 0x20 && typed_.size() < 60) {
    typed_ += key;
  }
  return std::nullopt;
}

std::string Prompt::shown(const Terminal& terminal) const {
  return terminal.paint(Tone::strong, question_) + typed_;
}

}  // namespace ladder::cli::watch
