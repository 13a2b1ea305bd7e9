#include "grader/cli/compiler_output.h"

#include <array>
#include <filesystem>
#include <regex>

namespace ladder::cli {
namespace {

using Severity = CompilerMessage::Severity;

/// One message as the compiler printed it: its first line taken apart, and the lines that belong to it.
struct Block {
  std::string file;
  int line = 0;
  std::string severity;  // "error", "warning", "note", ...
  std::string text;
  std::vector<std::string> rest;
};

bool starts_block(const std::string& line, Block& block) {
  static const std::regex nvcc(
      R"(^(.+?)\((\d+)\): (catastrophic error|error|warning|note|remark)[^:]*: (.*)$)");
  static const std::regex gcc(R"(^(.+?):(\d+):\d+: (fatal error|error|warning|note): (.*)$)");
  static const std::regex placeless(
      R"(^(?:At end of source|nvcc fatal|.*ld|ptxas .*|ptxas fatal)\s*: (error|fatal)?\s*:?\s*(.*)$)");
  std::smatch match;
  if (std::regex_match(line, match, nvcc) || std::regex_match(line, match, gcc)) {
    block = {match[1], std::stoi(match[2]), match[3], match[4], {}};
    return true;
  }
  if (std::regex_match(line, match, placeless)) {
    block = {"", 0, "error", match[2], {}};
    return true;
  }
  return false;
}

std::vector<Block> blocks_of(const std::vector<std::string>& lines) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lines) {
    if (Block block; starts_block(line, block)) {
      inside = true;
      // Notes belong to the error above them; nvcc tells the way to the student's line after them.
      if ((block.severity == "note" || block.severity == "remark") && !blocks.empty()) continue;
      blocks.push_back(std::move(block));
    } else if (line.empty()) {
      inside = false;  // nvcc ends each message with an empty line
    } else if (inside) {
      blocks.back().rest.push_back(line);
    }
  }
  return blocks;
}

bool same_file(std::string_view a, std::string_view b) {
  const std::filesystem::path left = std::filesystem::path(a).lexically_normal(),
                              right = std::filesystem::path(b).lexically_normal();
  return left == right || (left.is_relative() && left.filename() == right.filename());
}

/// The last line of @p file that a template or include chain names; 0 where it names none.
int line_that_led_here(const Block& block, std::string_view file) {
  static const std::regex at_line(R"re(at line (\d+)(?: of "?([^"\s]+)"?)?\s*$)re");
  int found = 0;
  for (const std::string& line : block.rest) {
    std::smatch match;
    if (!std::regex_search(line, match, at_line)) continue;
    const bool here = match[2].matched ? same_file(match[2].str(), file) : same_file(block.file, file);
    if (here) found = std::stoi(match[1]);
  }
  return found;
}

/// nvcc shows `__global__` as the attribute that it stands for; the student wrote the former.
void restore_keywords(CompilerMessage& message) {
  for (const std::string_view word : {"global", "device", "host", "shared", "constant", "managed"}) {
    const std::string spelled = "__attribute__((" + std::string(word) + "))",
                      keyword = "__" + std::string(word) + "__";
    for (std::size_t at; (at = message.source.find(spelled)) != std::string::npos;) {
      message.source.replace(at, spelled.size(), keyword);
      if (message.caret > static_cast<int>(at))
        message.caret -= static_cast<int>(spelled.size() - keyword.size());
    }
  }
}

/// Finds the source line and the caret below it.
void read_excerpt(const Block& block, CompilerMessage& message) {
  for (std::size_t i = 1; i < block.rest.size(); ++i) {
    std::string caret = block.rest[i], source = block.rest[i - 1];
    // gcc puts "   12 | " before both.
    if (const std::size_t rule = caret.find(" | "); rule != std::string::npos && source.find(" | ") == rule) {
      caret.erase(0, rule + 3);
      source.erase(0, rule + 3);
    }
    const std::size_t at = caret.find('^');
    if (at == std::string::npos || caret.find_first_not_of(" ^~") != std::string::npos) continue;
    message.source = source;
    message.caret = static_cast<int>(at);
    restore_keywords(message);
    return;
  }
}

}  // namespace

std::vector<CompilerMessage> read_compiler_output(const std::vector<std::string>& lines,
                                                  std::string_view file) {
  std::vector<CompilerMessage> messages;
  for (const Block& block : blocks_of(lines)) {
    const bool error = block.severity.find("error") != std::string::npos;
    if (!error && block.severity != "warning") continue;
    CompilerMessage message;
    message.severity = error ? Severity::error : Severity::warning;
    message.text = block.text;
    if (block.file.empty()) {
      messages.push_back(std::move(message));
      continue;
    }
    if (same_file(block.file, file)) {
      message.line = block.line;
      read_excerpt(block, message);
    } else {
      message.line = line_that_led_here(block, file);
      message.through = block.file + ":" + std::to_string(block.line);
      if (!error) continue;
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

std::vector<FailedStep> failed_steps(const std::vector<std::string>& lines) {
  static const std::regex next(R"(^(\[\d+/\d+\] .*|ninja: .*|FAILED: .*)$)");
  std::vector<FailedStep> steps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("FAILED: ")) continue;
    FailedStep step;
    step.output = lines[i].substr(8);
    // Newer ninjas put "[code=1] " before the name.
    if (step.output.starts_with('[')) step.output.erase(0, step.output.find(' ') + 1);
    while (!step.output.empty() && step.output.back() == ' ') step.output.pop_back();
    // The command follows in one line; what it printed comes after that.
    for (i += 2; i < lines.size() && !std::regex_match(lines[i], next); ++i) step.lines.push_back(lines[i]);
    --i;
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace ladder::cli
