#include "grader/run/refused.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/platform/terminal.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

/// As much of a source line as a verdict of 80 columns has room for, the place the compiler points at in it,
/// and where that is now.
std::pair<std::string, std::size_t> around_caret(const CompilerMessage& message) {
  constexpr std::size_t kRoom = 66, kBefore = 44;
  const auto caret = static_cast<std::size_t>(std::max(0, message.caret));
  if (message.source.size() <= kRoom) return {message.source, caret};
  const std::size_t from = caret < kRoom - 3 ? 0 : std::min(caret, message.source.size()) - kBefore;
  std::string text = message.source.substr(from, kRoom);
  if (from > 0) text.replace(0, 3, "...");
  if (from + kRoom < message.source.size()) text.replace(text.size() - 3, 3, "...");
  return {text, caret - from};
}

/// What helps with an error that says nothing of it.
std::string advice_for(const std::vector<CompilerMessage>& messages) {
  const auto calls_host = [](const CompilerMessage& message) {
    return message.text.find("__host__ function") != std::string::npos &&
           (message.text.find("from a __global__") != std::string::npos ||
            message.text.find("from a __device__") != std::string::npos);
  };
  if (std::none_of(messages.begin(), messages.end(), calls_host)) return {};
  return tr(
      "Functions of std:: and compilers' builtins are the host's. In a kernel, CUDA's own take their "
      "place: "
      "fminf, fmaxf, and min, max and abs without std::; __ffs, __clz and __popc for bits.");
}

}  // namespace

Verdict refused_verdict(const LessonInfo& lesson, const RungInfo& rung,
                        const std::vector<CompilerMessage>& messages, const std::vector<std::string>& raw,
                        const std::string& file) {
  constexpr int kShown = 4;
  Verdict verdict;
  verdict.lesson = lesson.name;
  verdict.rung = rung.name;
  verdict.outcome = Outcome::build_failed;
  const std::string name = std::filesystem::path(file).filename().string();
  int errors = 0;
  for (const CompilerMessage& message : messages) {
    if (message.severity != CompilerMessage::Severity::error) continue;
    const std::string where = message.line > 0 ? fmt::format("{}:{}: ", name, message.line) : "";
    if (errors++ == 0) verdict.headline = tr("does not compile: {}{}", where, message.text);
    if (errors > kShown) continue;
    if (errors > 1) verdict.detail += where + message.text + "\n";
    if (!message.through.empty())  // a file may call its own lines anything
      verdict.detail += message.line > 0 ? tr("  (found in {}, which that line uses)\n", message.through)
                                         : tr("  (found in what is called \"{}\")\n", message.through);
    if (message.source.empty()) continue;
    const auto [source, caret] = around_caret(message);
    verdict.detail += fmt::format("  {:>4} | {}\n", message.line, source);
    verdict.detail += fmt::format("       | {}^\n", std::string(caret, ' '));
  }
  if (errors > kShown) verdict.detail += tr("and {} more errors\n", errors - kShown);
  verdict.advice = advice_for(messages);
  if (errors == 0) {
    verdict.headline = tr("does not compile");
    for (std::size_t i = 0; i < std::min<std::size_t>(raw.size(), 15); ++i)
      verdict.detail += "  " + without_controls(raw[i]) + "\n";
  }
  return verdict;
}

}  // namespace ladder::cli
