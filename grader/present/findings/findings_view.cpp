#include "grader/present/findings/findings_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/platform/files.h"
#include "grader/present/findings/caret.h"
#include "language/catalogue.h"
#include "simulator/report/wording/words.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostLines = 8;  ///< of a statement, in which its accesses are looked for

std::string place(const sim::Finding& finding) {
  if (finding.file.empty() || finding.line < 1) return {};
  return fmt::format("{}:{}", fs::path(finding.file).filename().string(), finding.line);
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
  std::vector<std::string> texts;
  for (std::size_t i = line - 1; i < source.size() && texts.size() < kMostLines; ++i)
    texts.push_back(untabbed(source[i]));
  const Marked marked = marked_by(finding, texts);
  const std::size_t digits = std::to_string(line + marked.line).size();
  const std::size_t room = static_cast<std::size_t>(terminal.width) - digits - 8;
  const auto dim = [&](std::size_t number, const std::string& text) {
    lines.push_back(terminal.paint(
        Tone::dim, fmt::format("  {:>{}} | {}", number, digits, shorten(text, room, terminal.unicode))));
  };
  if (line > 1) dim(line - 1, untabbed(source[line - 2]));
  for (std::size_t i = 0; i < marked.line; ++i) dim(line + i, texts[i]);
  const std::string& text = texts[marked.line];
  const Shown shown = part_of(text, marked.begin, room, terminal.unicode);
  lines.push_back(
      terminal.paint(Tone::strong, fmt::format("> {:>{}} | {}", line + marked.line, digits, shown.text)));
  if (marked.length == 0) return;
  const std::size_t carets = display_width(text.substr(marked.begin, marked.length));
  lines.push_back(terminal.paint(Tone::dim, fmt::format("  {:>{}} | ", "", digits)) +
                  std::string(shown.caret, ' ') +
                  terminal.paint(Tone::bad, std::string(std::min(carets, room - shown.caret), '^')));
}

bool is_leak(const sim::Finding& finding) {
  return finding.kind == sim::FindingKind::leak && finding.severity != sim::Severity::error;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1 << 10) return tr("{} bytes", bytes);
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
  std::string text = number == 1
                         ? tr("note: 1 allocation, {}, is never freed", size_text(bytes))
                         : tr("note: {} allocations, {} in all, are never freed", number, size_text(bytes));
  if (!places.empty()) text += ": " + places;
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - 2))
    lines.push_back(terminal.paint(Tone::dim, line));
}

}  // namespace

bool ToldCures::is_new(const sim::Finding& finding) {
  const bool words = words_.insert(to_string(finding.cure)).second;
  return kinds_.insert({finding.cure.kind, finding.file, finding.line}).second && words;
}

Lines finding_excerpt(const sim::Finding& finding, const Terminal& terminal, const std::string& source) {
  Lines lines;
  Terminal narrower = terminal;
  narrower.width -= 2;
  add_excerpt(lines, finding, source.empty() ? finding.file : source, narrower);
  if (finding.inside.line > 0) {
    sim::Finding inside = finding;
    inside.file = finding.inside.file, inside.line = finding.inside.line, inside.inside = {};
    lines.push_back(terminal.paint(Tone::dim, tr("  which leads to {}:", place(inside))));
    add_excerpt(lines, inside, inside.file, narrower);
  }
  for (std::string& line : lines) line.insert(0, "  ");
  return lines;
}

Lines finding_lines(const sim::Finding& finding, const Terminal& terminal, const std::string& source,
                    std::string_view indent, bool with_cure) {
  Lines lines;
  add_wrapped(lines, sim::finding_headline(finding), indent, terminal,
              finding.severity == sim::Severity::error ? Tone::bad : Tone::warn);
  add_wrapped(lines, sim::finding_detail(finding), "  ", terminal);
  for (std::string& line : finding_excerpt(finding, terminal, source)) lines.push_back(std::move(line));
  if (const std::string cure = sim::finding_cure(finding); with_cure && !cure.empty())
    add_wrapped(lines, cure, "  ", terminal);
  return lines;
}

Lines findings_list(const std::vector<sim::Finding>& findings, const Terminal& terminal, std::size_t shown) {
  std::vector<const sim::Finding*> order, leaks;
  for (const sim::Finding& finding : findings) (is_leak(finding) ? leaks : order).push_back(&finding);
  std::stable_partition(order.begin(), order.end(), [](const sim::Finding* finding) {
    return finding->severity == sim::Severity::error;
  });
  Lines lines;
  ToldCures told;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    if (i > 0) lines.emplace_back();
    const bool with_cure = told.is_new(*order[i]);
    for (std::string& line : finding_lines(*order[i], terminal, {}, {}, with_cure))
      lines.push_back(std::move(line));
  }
  if (order.size() > shown)
    lines.push_back(
        terminal.paint(Tone::dim, tr("and {} more findings; --json lists them all", order.size() - shown)));
  if (!leaks.empty()) {
    if (!lines.empty()) lines.emplace_back();
    add_leaks(lines, leaks, terminal);
  }
  return lines;
}

}  // namespace ladder::cli
