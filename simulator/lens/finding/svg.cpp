#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <variant>

#include "simulator/lens/finding/picture.h"
#include "simulator/lens/finding/scene.h"
#include "simulator/lens/markup.h"
#include "simulator/report/wording/words.h"

namespace sim::lens {
namespace {

constexpr int kFindingWidth = 560, kBoxWidth = 216, kBoxHeight = 46, kCellSize = 34;  // pixels

std::string finding_label(const char* kind, int x, int y, const std::string& what) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y, escaped(what));
}

std::string finding_arrow(int x1, int y1, int x2, int y2) {
  // The head is a stroke of its own: a marker would need a name that no other picture of the page has.
  const int back = x2 > x1 ? -7 : 7;
  return fmt::format(R"(<path class="arrow" d="M{} {}L{} {}m{} -4L{} {}l{} 4"/>)", x1, y1, x2, y2, back, x2,
                     y2, back);
}

/// A party's box at a height: who it is, and what it does at which line.
std::string party_box(int x, int y, const Party& party, int width = kBoxWidth) {
  return fmt::format(R"(<rect class="party" x="{}" y="{}" width="{}" height="{}" rx="5"/>)", x, y, width,
                     kBoxHeight) +
         finding_label("who", x + 8, y + 18, party.who) + finding_label("what", x + 8, y + 36, party.what);
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
  constexpr int kRight = kFindingWidth - kBoxWidth - 4, kSecond = 104, kWordX = 235, kWordY = 62,
                kWordWidth = 90;
  std::string inner = party_box(4, 4, scene.first) + party_box(kRight, kSecond, scene.second);
  inner += fmt::format(R"(<path class="missing" d="M4 {0}H{1}M{2} {0}H{3}"/>)", kWordY + 14, kWordX - 8,
                       kWordX + kWordWidth + 8, kFindingWidth - 4);
  inner += finding_cell("word", kWordX, kWordY, kWordWidth, scene.word);
  inner += finding_arrow(kBoxWidth + 6, 27, kWordX + kWordWidth / 2 - 4, kWordY - 3) +
           finding_arrow(kWordX + kWordWidth / 2 + 4, kWordY + 31, kRight - 3, kSecond + 23);
  inner += finding_label("wrong-text", 4, kWordY + 32, "nothing orders the two");
  return {kSecond + kBoxHeight + 4, inner};
}

/// The last elements that there are, the edge, and the place past it.
FindingDrawing draw(const Edge& scene) {
  constexpr int kTop = 30;
  const bool before = scene.index < 0;
  std::string inner = finding_label("who", 4, 16, scene.name);
  int x = 4;
  const auto place = [&](const char* kind, std::int64_t index) {
    inner += finding_cell(kind, x + 1, kTop, kCellSize - 2, fmt::format("{}", index));
    x += kCellSize;
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
  constexpr int kRight = kFindingWidth - kBoxWidth - 4;
  std::string inner = party_box(4, 4, scene.waiting) + party_box(kRight, 4, scene.elsewhere);
  inner += fmt::format(R"(<path class="missing" d="M{} 27H{}"/>)", kBoxWidth + 10, kRight - 6);
  inner += finding_label("wrong-text", kBoxWidth + 22, 20, "do not meet");
  return {kBoxHeight + 10, inner};
}

/// One below the other, with an arrow to what each waits for.
FindingDrawing draw(const Deadlock& scene) {
  constexpr int kWanted = kBoxWidth + 56, kStep = kBoxHeight + 10;
  std::string inner;
  int y = 4;
  for (const Deadlock::Group& group : scene.groups) {
    inner += party_box(4, y, group.party);
    if (!group.wanted.empty())
      inner += finding_arrow(kBoxWidth + 8, y + 23, kWanted - 6, y + 23) +
               finding_label("wrong-text", kWanted, y + 27, group.wanted);
    y += kStep;
  }
  return {y, inner};
}

FindingDrawing draw(const Unwritten& scene) {
  constexpr int kRight = kFindingWidth - kBoxWidth - 4, kWordWidth = 150;
  std::string inner = finding_cell("wrong", 5, 8, kWordWidth, scene.name);
  inner += finding_label("wrong-text", 5, 54, "nobody has written it");
  inner += finding_arrow(kWordWidth + 10, 22, kRight - 4, 22) + party_box(kRight, 4, scene.reader);
  return {62, inner};
}

}  // namespace

const char* finding_style() {
  return ".finding { --wrong: #b31d28; }\n"
         "@media (prefers-color-scheme: dark) { .finding { --wrong: #ff8a82; } }\n"
         ".finding .party, .finding .there, .finding .word { fill: var(--paper); stroke: var(--faint); }\n"
         ".finding .wrong { fill: var(--paper); stroke: var(--wrong); stroke-width: 2; }\n"
         ".finding .arrow, .finding .edge { stroke: var(--ink); fill: none; stroke-width: 1.5; }\n"
         ".finding .missing { stroke: var(--wrong); stroke-width: 2; stroke-dasharray: 6 4; }\n"
         ".finding .who, .finding .what, .finding .name { fill: var(--ink); font-size: 11px; }\n"
         ".finding .what, .finding .name { font-weight: 600; } .finding .name { text-anchor: middle; }\n"
         ".finding .wrong-text { fill: var(--wrong); font-size: 11px; }\n";
}

std::string svg_of(const Finding& finding) {
  const FindingDrawing drawing = std::visit([](const auto& scene) { return draw(scene); }, scene_of(finding));
  if (drawing.height == 0) return {};
  return fmt::format(
      R"(<svg class="finding" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>)",
      kFindingWidth, drawing.height, escaped(sentence(finding)), drawing.inner);
}

}  // namespace sim::lens
