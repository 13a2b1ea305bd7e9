#include "grader/build/compiler_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

namespace ladder::cli {
namespace {

using Severity = CompilerMessage::Severity;
constexpr std::size_t kLongestNote = 4096;  // what a source says of itself may be of any length

/// One message as the compiler printed it: its first line taken apart, and the lines that belong to it.
struct Block {
  std::string file;
  int line = 0;
  std::string severity;  // "error", "warning", "note", ...
  std::string text;
  std::vector<std::string> rest;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that @p text begins with, which is taken off it; a number that no file has so many lines for is
/// 0.
int take_number(std::string_view& text) {
  const std::size_t digits = std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  int number = 0;
  if (std::from_chars(text.data(), text.data() + digits, number).ec != std::errc()) number = 0;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

/// "error", "warning #177-D" and the like in front of ": text".
std::optional<Block> take_severity(std::string_view rest) {
  for (const std::string_view severity :
       {"catastrophic error", "fatal error", "error", "Error", "warning", "note", "remark"}) {
    std::string_view text = rest;
    if (!take(text, severity)) continue;
    const std::size_t colon = text.find(':');
    if (colon == text.npos || !text.substr(colon).starts_with(": ")) return std::nullopt;
    return Block{"",
                 0,
                 severity == "Error" ? "error" : std::string(severity),
                 std::string(text.substr(colon + 2)),
                 {}};
  }
  return std::nullopt;
}

/// nvcc's `file(12): error: text`.
std::optional<Block> nvcc_block(std::string_view line) {
  for (std::size_t at = line.find('(', 1); at < line.size(); at = line.find('(', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    if (rest.empty() || !is_digit(rest.front())) continue;
    const int number = take_number(rest);
    if (!take(rest, "): ")) continue;
    if (std::optional<Block> block = take_severity(rest)) {
      block->file = line.substr(0, at);
      block->line = number;
      return block;
    }
  }
  return std::nullopt;
}

/// gcc's and clang's `file:12:5: error: text`, and the assembler's `file:12: Error: text`.
std::optional<Block> gcc_block(std::string_view line) {
  for (std::size_t at = line.find(':', 1); at < line.size(); at = line.find(':', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    if (rest.empty() || !is_digit(rest.front())) continue;
    const int number = take_number(rest);
    if (std::string_view column = rest; take(column, ":") && !column.empty() && is_digit(column.front())) {
      (void)take_number(column);
      rest = column;
    }
    if (!take(rest, ": ")) continue;
    if (std::optional<Block> block = take_severity(rest)) {
      block->file = line.substr(0, at);
      block->line = number;
      return block;
    }
  }
  return std::nullopt;
}

/// What the linker, ptxas and nvcc itself say of no line in particular.
std::optional<Block> placeless_block(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == line.npos) return std::nullopt;
  std::string_view who = line.substr(0, colon), text = line.substr(colon + 2);
  while (who.ends_with(' ')) who.remove_suffix(1);
  if (who != "At end of source" && who != "nvcc fatal" && !who.ends_with("ld") && !who.starts_with("ptxas "))
    return std::nullopt;
  for (const std::string_view word : {"error", "fatal"})
    if (take(text, word)) break;
  while (!text.empty() && (text.front() == ' ' || text.front() == ':')) text.remove_prefix(1);
  return Block{"", 0, "error", std::string(text), {}};
}

/// A source can put anything at all before "(1): error", so that form is looked for first: what it says of
/// itself never passes for nvcc's or the linker's own words.
std::optional<Block> start_of_block(std::string_view line) {
  for (const auto& form : {nvcc_block, gcc_block, placeless_block})
    if (std::optional<Block> block = form(line)) return block;
  return std::nullopt;
}

std::vector<Block> blocks_of(const std::vector<std::string>& lines) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lines) {
    if (std::optional<Block> block = start_of_block(std::string_view(line).substr(0, kLongestNote))) {
      inside = true;
      // Notes belong to the error above them; nvcc tells the way to the student's line after them.
      if ((block->severity == "note" || block->severity == "remark") && !blocks.empty()) continue;
      blocks.push_back(std::move(*block));
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
  int found = 0;
  for (const std::string& line : block.rest) {
    static constexpr std::string_view kAt = "at line ";
    std::string_view rest(line);
    const std::size_t at = rest.rfind(kAt);
    if (at == rest.npos) continue;
    rest.remove_prefix(at + kAt.size());
    if (rest.empty() || !is_digit(rest.front())) continue;
    const int number = take_number(rest);
    while (rest.ends_with(' ')) rest.remove_suffix(1);
    std::string_view name = block.file;
    if (take(rest, " of ")) {
      name = rest;
      (void)take(name, "\"");
      if (name.ends_with('"')) name.remove_suffix(1);
    } else if (!rest.empty()) {
      continue;
    }
    if (same_file(name, file)) found = number;
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

/// Where the string literal that begins at @p at ends, behind its quote; npos: none begins there.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '"') return text.npos;
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at < text.size() ? at + 1 : text.npos;
}

/// nvcc shows what `CUDA_CHECK(call)` stands for: the call, the call as text, the file and the line.
void restore_checks(CompilerMessage& message) {
  static constexpr std::string_view kOpen = "::ladder::cuda_check((", kWritten = "CUDA_CHECK(";
  std::string& source = message.source;
  for (std::size_t at = 0; (at = source.find(kOpen, at)) != source.npos; at += kWritten.size()) {
    const std::size_t behind = source.find("), \"", at);
    if (behind == source.npos) return;
    const std::size_t call = end_of_literal(source, behind + 3);
    const std::size_t file = call == source.npos ? call : end_of_literal(source, call + 2);
    const std::size_t end = file == source.npos ? file : source.find(')', file);
    if (end == source.npos) return;
    const int first = static_cast<int>(at), last = static_cast<int>(behind),
              cut = static_cast<int>(kOpen.size() - kWritten.size());
    if (message.caret > static_cast<int>(end))
      message.caret -= cut + static_cast<int>(end) - last;
    else if (message.caret > first)
      message.caret = std::max(first, std::min(message.caret, last) - cut);
    source.erase(behind, end - behind);
    source.replace(at, kOpen.size(), kWritten);
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
    restore_checks(message);
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

bool says_where(const std::vector<std::string>& lines) {
  const std::vector<Block> blocks = blocks_of(lines);
  return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return !block.file.empty() && block.severity.find("error") != std::string::npos;
  });
}

namespace {

/// "[3/11] nvcc 1_serial.cu", or the generator's own word.
bool begins_step(std::string_view line) {
  if (line.starts_with("ninja: ") || line.starts_with("FAILED: ")) return true;
  if (!take(line, "[") || line.empty() || !is_digit(line.front())) return false;
  (void)take_number(line);
  if (!take(line, "/") || line.empty() || !is_digit(line.front())) return false;
  (void)take_number(line);
  return take(line, "] ");
}

}  // namespace

std::vector<FailedStep> failed_steps(const std::vector<std::string>& lines) {
  std::vector<FailedStep> steps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("FAILED: ")) continue;
    FailedStep step;
    step.output = lines[i].substr(8);
    // Newer ninjas put "[code=1] " before the name.
    if (step.output.starts_with('[')) step.output.erase(0, step.output.find(' ') + 1);
    while (!step.output.empty() && step.output.back() == ' ') step.output.pop_back();
    // The command follows in one line; what it printed comes after that.
    for (i += 2; i < lines.size() && !begins_step(lines[i]); ++i) step.lines.push_back(lines[i]);
    --i;
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace ladder::cli
