#include "grader/cli/findings_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "grader/cli/files.h"
#include "grader/harness/finding_words.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

std::string place(const sim::Finding& finding) {
  if (finding.file.empty() || finding.line < 1) return {};
  return fmt::format("{}:{}", fs::path(finding.file).filename().string(), finding.line);
}

/// How many columns from @p begin on belong to the expression that starts there: up to the end of the
/// statement.
std::size_t extent(const std::string& text, std::size_t begin) {
  int depth = 0;
  std::size_t end = begin;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == ';' || c == '{' || text.compare(end, 2, "//") == 0) break;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth < 0) break;
  }
  while (end > begin + 1 && text[end - 1] == ' ') --end;
  return std::max<std::size_t>(1, end - begin);
}

/// Where a subscripted name stands in a source line: `tile[i][j]` with its length; and whether it is stored
/// to.
struct Subscripted {
  std::size_t begin = 0, length = 0;
  std::string name;
  bool stored = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Subscripted> subscripted(const std::string& text) {
  std::vector<Subscripted> all;
  const std::size_t end_of_code = std::min(text.find("//"), text.size());
  for (std::size_t open = text.find('['); open < end_of_code; open = text.find('[', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    if (begin == open) continue;  // the second subscript of one, or a lambda
    std::size_t end = open;
    while (end < end_of_code && text[end] == '[') {
      for (int depth = 0; end < end_of_code; ++end) {
        if (text[end] == '[') ++depth;
        if (text[end] == ']' && --depth == 0) break;
      }
      if (end < end_of_code) ++end;
    }
    const std::size_t behind = text.find_first_not_of(' ', end);
    const std::string_view next =
        behind < end_of_code ? std::string_view(text).substr(behind) : std::string_view();
    const bool assigned = next.starts_with("=") && !next.starts_with("==");
    const bool updated =
        next.size() > 1 && next[1] == '=' && std::string_view("+-*/%&|^").find(next[0]) != next.npos;
    all.push_back({begin, end - begin, text.substr(begin, open - begin), assigned || updated});
  }
  return all;
}

/// The access in its line that a finding is about, where only one fits: by the name of what is accessed, or,
/// where that is known by another name, as what the line stores to or reads.
std::optional<Subscripted> access_in(const std::string& text, const sim::Finding& finding) {
  std::vector<Subscripted> all = subscripted(text);
  const std::string name = finding.symbol.substr(0, finding.symbol.find('['));
  const auto named = [&](const Subscripted& s) { return s.name == name; };
  if (std::any_of(all.begin(), all.end(), named))
    std::erase_if(all, [&](const auto& s) { return !named(s); });
  if (all.size() > 1 && (finding.access == "write" || finding.access == "read"))
    std::erase_if(all, [&](const Subscripted& s) { return s.stored != (finding.access == "write"); });
  if (all.size() != 1) return std::nullopt;
  return all.front();
}

/// A tab takes one column in the source's count; here it takes one blank, so that carets stand right.
std::string untabbed(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return without_controls(text);
}

/// Some columns of a source line, with how many were left out on its left.
struct Shown {
  std::string text;
  std::size_t caret;  ///< column of what the finding means
};

/// The part of a line that fits @p room columns and shows what stands at byte @p begin.
Shown part_of(std::string text, std::size_t begin, std::size_t room, bool unicode) {
  constexpr std::size_t kBefore = 16;  ///< columns left of the caret, where the line is cut there
  std::size_t column = display_width(text.substr(0, begin));
  if (display_width(text) > room && column + kBefore > room) {
    std::size_t cut = begin - std::min(begin, kBefore);
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // inside a character
    const std::string ellipsis = unicode ? "…" : "...";
    column = display_width(text.substr(cut, begin - cut)) + display_width(ellipsis);
    text = ellipsis + text.substr(cut);
  }
  return {shorten(text, room, unicode), column};
}

void add_excerpt(Lines& lines, const sim::Finding& finding, const std::string& file,
                 const Terminal& terminal) {
  std::error_code missing;
  if (finding.line < 1 || file.empty() || !fs::is_regular_file(file, missing)) return;
  const Lines source = split_lines(read_file(file));
  const auto line = static_cast<std::size_t>(finding.line);
  if (line > source.size()) return;
  const std::size_t digits = std::to_string(line).size();
  const std::size_t room = static_cast<std::size_t>(terminal.width) - digits - 8;
  if (line > 1)
    lines.push_back(
        terminal.paint(Tone::dim, fmt::format("  {:>{}} | {}", line - 1, digits,
                                              shorten(untabbed(source[line - 2]), room, terminal.unicode))));
  const std::string text = untabbed(source[line - 1]);
  const std::size_t first = text.find_first_not_of(' ');
  const bool one_access = finding.kind == "out-of-bounds" || finding.kind == "misaligned" ||
                          finding.kind == "uninitialized" || finding.kind == "use-after-free";
  const auto access = one_access ? access_in(text, finding) : std::nullopt;
  const std::size_t begin = access                       ? access->begin
                            : first == std::string::npos ? 0
                            : finding.column > 0
                                ? std::min(static_cast<std::size_t>(finding.column) - 1, text.size() - 1)
                                : first;
  const Shown shown = part_of(text, begin, room, terminal.unicode);
  lines.push_back(terminal.paint(Tone::strong, fmt::format("> {:>{}} | {}", line, digits, shown.text)));
  if (first == std::string::npos) return;
  const std::size_t bytes = access ? access->length : extent(text, begin);
  const std::size_t carets = display_width(text.substr(begin, bytes));
  lines.push_back(terminal.paint(Tone::dim, fmt::format("  {:>{}} | ", "", digits)) +
                  std::string(shown.caret, ' ') +
                  terminal.paint(Tone::bad, std::string(std::min(carets, room - shown.caret), '^')));
}

void add_wrapped(Lines& lines, const std::string& text, std::string_view indent, const Terminal& terminal,
                 Tone tone = Tone::plain) {
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - indent.size()))
    lines.push_back(line.empty() ? line : std::string(indent) + terminal.paint(tone, line));
}

bool is_leak(const sim::Finding& finding) { return finding.kind == "leak" && finding.severity != "error"; }

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1 << 10) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / (1 << 10));
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// All that is never freed, in one sentence: most programs leave it to the end of the process.
void add_leaks(Lines& lines, const std::vector<const sim::Finding*>& leaks, const Terminal& terminal) {
  std::uint64_t number = 0, bytes = 0;
  std::string places;
  for (const sim::Finding* leak : leaks) {
    number += leak->count;
    bytes += leak->count * leak->size;
    if (const std::string where = place(*leak); !where.empty() && places.find(where) == std::string::npos)
      places += (places.empty() ? "" : ", ") + where;
  }
  std::string text =
      fmt::format("note: {} allocation{}, {}{}, {} never freed", number, number == 1 ? "" : "s",
                  size_text(bytes), number == 1 ? "" : " in all", number == 1 ? "is" : "are");
  if (!places.empty()) text += ": " + places;
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - 2))
    lines.push_back(terminal.paint(Tone::dim, line));
}

}  // namespace

Lines finding_excerpt(const sim::Finding& finding, const Terminal& terminal, const std::string& source) {
  Lines lines;
  Terminal narrower = terminal;
  narrower.width -= 2;
  add_excerpt(lines, finding, source.empty() ? finding.file : source, narrower);
  for (std::string& line : lines) line.insert(0, "  ");
  return lines;
}

Lines finding_lines(const sim::Finding& finding, const Terminal& terminal, const std::string& source,
                    std::string_view indent) {
  Lines lines;
  add_wrapped(lines, finding_headline(finding), indent, terminal,
              finding.severity == "error" ? Tone::bad : Tone::warn);
  add_wrapped(lines, finding_detail(finding), "  ", terminal);
  for (std::string& line : finding_excerpt(finding, terminal, source)) lines.push_back(std::move(line));
  if (const std::string cure = finding_cure(finding); !cure.empty()) add_wrapped(lines, cure, "  ", terminal);
  return lines;
}

Lines findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal, std::size_t shown) {
  std::vector<const sim::Finding*> order, leaks;
  for (const sim::Finding& finding : findings) (is_leak(finding) ? leaks : order).push_back(&finding);
  std::stable_partition(order.begin(), order.end(),
                        [](const sim::Finding* finding) { return finding->severity == "error"; });
  Lines lines;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    if (i > 0) lines.emplace_back();
    for (std::string& line : finding_lines(*order[i], terminal)) lines.push_back(std::move(line));
  }
  if (order.size() > shown)
    lines.push_back(terminal.paint(
        Tone::dim, fmt::format("and {} more findings; --json lists them all", order.size() - shown)));
  if (!leaks.empty()) {
    if (!lines.empty()) lines.emplace_back();
    add_leaks(lines, leaks, terminal);
  }
  return lines;
}

}  // namespace ladder::cli
