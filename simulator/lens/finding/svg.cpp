#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "language/catalogue.h"
#include "simulator/lens/finding/picture.h"
#include "simulator/lens/finding/scene.h"
#include "simulator/lens/markup.h"
#include "simulator/report/wording/words.h"

namespace sim::lens {
namespace {

// Pixels. A picture is as wide as a column of the page beside an editor, where it has its own size.
constexpr int kFindingWidth = 430, kBoxWidth = 216, kBoxHeight = 46, kCellSize = 34;
constexpr double kLetter = 7.3;  // of 12 pixels' monospace
constexpr std::size_t kCodeLetters = 50;

std::string finding_label(const char* kind, int x, int y, const std::string& what) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y, escaped(what));
}

/// A text in lines of some letters at most, but for longer words.
std::vector<std::string> lines_of(std::string text, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = columns_of(text) <= most ? text.npos : text.rfind(' ', most);
    if (end == 0 || end == text.npos) end = text.size();
    lines.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  return lines;
}

std::string finding_arrow(int x1, int y1, int x2, int y2) {
  // The head is a stroke of its own: a marker would need a name that no other picture of the page has.
  const int dx = x2 > x1 ? -7 : x2 < x1 ? 7 : -4, dy = x2 == x1 ? -7 : -4;
  return fmt::format(R"(<path class="arrow" d="M{} {}L{} {}m{} {}L{} {}l{} {}"/>)", x1, y1, x2, y2, dx, dy,
                     x2, y2, x2 == x1 ? 4 : dx, x2 == x1 ? -7 : 4);
}

/// The part of a line around a place in it that has room.
std::string cut_around(const std::string& code, std::size_t place) {
  if (columns_of(code) <= kCodeLetters) return code;
  std::size_t from = place == code.npos || place < kCodeLetters / 2 ? 0 : place - kCodeLetters / 2;
  from = std::min(from, code.size() - std::min(code.size(), kCodeLetters - 1));
  std::size_t to = std::min(code.size(), from + kCodeLetters - 2);
  const auto inside = [&](std::size_t at) { return at < code.size() && (code[at] & 0xc0) == 0x80; };
  while (inside(from)) ++from;  // of a letter of several bytes
  while (inside(to)) ++to;
  return (from > 0 ? "…" : "") + code.substr(from, to - from) + (to < code.size() ? "…" : "");
}

/// How high a party's box is, with the line's text where it is known.
int height_of(const Party& party) { return kBoxHeight + (party.code.empty() ? 0 : 18); }

/// A party's box at a height: who it is, what it does at which line, and that line, of which what is around
/// the array of @p word matters most.
std::string party_box(int x, int y, const Party& party, int width = kBoxWidth, const std::string& word = {}) {
  std::string box = fmt::format(R"(<rect class="party" x="{}" y="{}" width="{}" height="{}" rx="5"/>)", x, y,
                                width, height_of(party)) +
                    finding_label("who", x + 8, y + 18, party.who) +
                    finding_label("what", x + 8, y + 36, party.what);
  if (party.code.empty()) return box;
  const std::string array = word.substr(0, word.find('['));
  return box + finding_label("code", x + 8, y + 54, cut_around(party.code, party.code.find(array + '[')));
}

std::string finding_cell(const char* kind, int x, int y, int width, const std::string& name) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>)", kind, x, y, width,
                     kCellSize - 6) +
         finding_label("name", x + width / 2, y + 18, name);
}

struct FindingDrawing {
  int height = 0;
  std::string inner;
};

FindingDrawing draw(std::monostate) { return {}; }

/// Time runs down: the other party's access, the line that nothing orders, and this one's.
FindingDrawing draw(const Meeting& scene) {
  constexpr int kIndent = 36, kBox = kFindingWidth - 8 - kIndent, kGap = 82;
  const int below = 4 + height_of(scene.first), top = below + kGap,
            word_width = std::max(90, int(kLetter * double(scene.word.size())) + 16),
            word_x = kFindingWidth - 10 - word_width, word_y = below + (kGap - kCellSize + 6) / 2,
            middle = word_x + word_width / 2, line = word_y + (kCellSize - 6) / 2;
  std::string inner = party_box(4, 4, scene.first, kBox, scene.word) +
                      party_box(4 + kIndent, top, scene.second, kBox, scene.word);
  inner += fmt::format(R"(<path class="missing" d="M4 {0}H{1}M{2} {0}H{3}"/>)", line, word_x - 6,
                       word_x + word_width + 6, kFindingWidth - 4);
  inner += finding_cell("word", word_x, word_y, word_width, scene.word);
  inner += finding_arrow(middle, below + 2, middle, word_y - 3) +
           finding_arrow(middle, word_y + kCellSize - 4, middle, top - 3);
  inner += finding_label("wrong-text", 4, line - 8, tr("nothing orders the two"));
  if (!scene.missing.empty()) {
    int y = line + 4;
    for (const std::string& words : lines_of(scene.missing, std::size_t((word_x - 8) / kLetter)))
      inner += finding_label("wrong-text", 4, y += 14, words);
  }
  return {top + height_of(scene.second) + 4, inner};
}

/// The last elements that there are, the edge, and the place past it.
FindingDrawing draw(const Edge& scene) {
  constexpr int kTop = 30;
  const std::size_t digits =
      std::max(fmt::formatted_size("{}", scene.index), fmt::formatted_size("{}", scene.last));
  const int size = std::max(kCellSize, int(kLetter * double(digits)) + 12);
  const bool before = scene.index < 0;
  std::string inner = finding_label("who", 4, 16, scene.name);
  int x = 4;
  const auto place = [&](const char* kind, std::int64_t index) {
    inner += finding_cell(kind, x + 1, kTop, size - 2, fmt::format("{}", index));
    x += size;
  };
  const auto gap = [&] {
    inner += finding_label("who", x + 8, kTop + 18, "…");
    x += kCellSize;
  };
  const auto border = [&] {
    inner += fmt::format(R"(<path class="edge" d="M{} {}v{}"/>)", x + 3, kTop - 6, kCellSize + 6);
    x += 6;
  };
  if (before) {
    place("wrong", scene.index);
    if (scene.index < -1) gap();
    border();
  }
  if (scene.cut_before) gap();
  for (std::int64_t i = scene.first; i <= scene.last; ++i) place("there", i);
  if (scene.cut_behind) gap();
  if (!before) {
    border();
    if (scene.index > scene.last + 1) gap();
    place("wrong", scene.index);
  }
  inner += finding_label("wrong-text", 4, kTop + kCellSize + 16, scene.what);
  return {kTop + kCellSize + 24, inner};
}

FindingDrawing draw(const Apart& scene) {
  constexpr int kBox = kFindingWidth - 44, kSecond = kBoxHeight + 40, kLine = kBoxHeight + 22;
  std::string inner = party_box(4, 4, scene.waiting, kBox) + party_box(40, kSecond, scene.elsewhere, kBox);
  inner += fmt::format(R"(<path class="missing" d="M4 {0}H150M250 {0}H{1}"/>)", kLine, kFindingWidth - 4);
  inner += finding_label("wrong-text", 162, kLine + 4, tr("do not meet"));
  return {kSecond + kBoxHeight + 4, inner};
}

/// One below the other, with an arrow to what each waits for.
FindingDrawing draw(const Deadlock& scene) {
  constexpr int kWanted = kBoxWidth + 48, kStep = kBoxHeight + 10;
  std::string inner;
  int y = 4;
  for (const Deadlock::Group& group : scene.groups) {
    const std::size_t longest = std::max(group.party.who.size(), group.party.what.size());
    const bool beside = double(group.wanted.size()) * kLetter < kFindingWidth - kWanted &&
                        double(longest) * kLetter < kBoxWidth - 12;
    inner += party_box(4, y, group.party, beside ? kBoxWidth : kFindingWidth - 8);
    if (!group.wanted.empty() && beside) {
      inner += finding_arrow(kBoxWidth + 8, y + 23, kWanted - 6, y + 23) +
               finding_label("wrong-text", kWanted, y + 27, group.wanted);
    } else if (!group.wanted.empty()) {
      inner += finding_arrow(24, y + kBoxHeight + 2, 24, y + kBoxHeight + 18);
      for (const std::string& words : lines_of(group.wanted, kCodeLetters))
        inner += finding_label("wrong-text", 38, (y += 16) + kBoxHeight, words);
      y += 6;
    }
    y += kStep;
  }
  return {y, inner};
}

FindingDrawing draw(const Unwritten& scene) {
  constexpr int kRight = kFindingWidth - kBoxWidth - 4, kMost = kRight - 40;
  const int width = int(kLetter * double(scene.name.size())) + 16;
  const bool beside = width <= kMost;
  std::string inner =
      finding_cell("wrong", 5, 8, beside ? kMost : std::min(width, kFindingWidth - 10), scene.name);
  inner += finding_label("wrong-text", 5, 54, tr("nobody has written it"));
  if (beside)
    return {62, inner + finding_arrow(kMost + 10, 22, kRight - 4, 22) + party_box(kRight, 4, scene.reader)};
  return {116, inner + finding_arrow(kRight + 60, 40, kRight + 60, 60) + party_box(kRight, 64, scene.reader)};
}

}  // namespace

const char* finding_style() {
  return ".finding { --wrong: #b31d28; }\n"
         "@media (prefers-color-scheme: dark) { .finding { --wrong: #ff8a82; } }\n"
         ".finding .party, .finding .there, .finding .word { fill: var(--paper); stroke: var(--faint); }\n"
         ".finding .wrong { fill: var(--paper); stroke: var(--wrong); stroke-width: 2; }\n"
         ".finding .arrow, .finding .edge { stroke: var(--ink); fill: none; stroke-width: 1.5; }\n"
         ".finding .missing { stroke: var(--wrong); stroke-width: 2; stroke-dasharray: 6 4; }\n"
         ".finding .who, .finding .what, .finding .name, .finding .code { fill: var(--ink); font-size: 12px; "
         "}\n"
         ".finding .code { fill: var(--faint); white-space: pre; } .finding { min-width: 23rem; }\n"
         ".finding .what, .finding .name { font-weight: 600; } .finding .name { text-anchor: middle; }\n"
         ".finding .wrong-text { fill: var(--wrong); font-size: 12px; }\n";
}

std::string svg_of(const Finding& finding, const Sources& sources) {
  const FindingDrawing drawing =
      std::visit([](const auto& scene) { return draw(scene); }, scene_of(finding, sources));
  if (drawing.height == 0) return {};
  return fmt::format(
      R"(<svg class="finding" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>)",
      kFindingWidth, drawing.height, escaped(sentence(finding)), drawing.inner);
}

}  // namespace sim::lens
