#include "simulator/lens/finding_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/lens/markup.h"
#include "simulator/report/wording/words.h"

namespace sim::lens {
namespace {

constexpr int kDrawing = 560, kBoxWidth = 216, kBoxHeight = 46, kCellSize = 34;  // pixels

std::string label(const char* kind, int x, int y, const std::string& what) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y, escaped(what));
}

std::string arrow(int x1, int y1, int x2, int y2) {
  // The head is a stroke of its own: a marker would need a name that no other picture of the page has.
  const int back = x2 > x1 ? -7 : 7;
  return fmt::format(R"(<path class="arrow" d="M{} {}L{} {}m{} -4L{} {}l{} 4"/>)", x1, y1, x2, y2, back, x2,
                     y2, back);
}

std::string framed(int height, const std::string& says, const std::string& inner) {
  return fmt::format(
      R"(<svg class="finding" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>)",
      kDrawing, height, escaped(says), inner);
}

/// Of two threads of one block the block goes without saying.
std::string thread_in_words(const Index3& block, const Index3& thread, bool one_block) {
  const auto words = [](const char* what, const Index3& at) {
    return fmt::format("{} ({},{},{})", what, at[0], at[1], at[2]);
  };
  return one_block ? words("thread", thread) : words("block", block) + ", " + words("thread", thread);
}

/// A thread's box at a height: who it is, and what it does at which line.
std::string party(int x, int y, const Index3& block, const Index3& thread, int line, AccessKind access,
                  bool one_block) {
  return fmt::format(R"(<rect class="party" x="{}" y="{}" width="{}" height="{}" rx="5"/>)", x, y, kBoxWidth,
                     kBoxHeight) +
         label("who", x + 8, y + 18, thread_in_words(block, thread, one_block)) +
         label("what", x + 8, y + 36, fmt::format("line {} {}", line, verb_of(access)));
}

/// Time runs down: the other party's access, the line that nothing orders, and this one's.
std::string race(const Finding& finding) {
  const OtherParty& other = *finding.other;
  constexpr int kRight = kDrawing - kBoxWidth - 4, kSecond = 104, kWordX = 235, kWordY = 62, kWordWidth = 90;
  const std::string word = finding.symbol.empty() ? "the same word" : finding.symbol;
  std::string inner =
      party(4, 4, other.block, other.thread, other.line, other.access, finding.block == other.block) +
      party(kRight, kSecond, finding.block, finding.thread, finding.line, finding.access,
            finding.block == other.block);
  inner += fmt::format(R"(<path class="missing" d="M4 {0}H{1}M{2} {0}H{3}"/>)", kWordY + 14, kWordX - 8,
                       kWordX + kWordWidth + 8, kDrawing - 4);
  inner += fmt::format(R"(<rect class="word" x="{}" y="{}" width="{}" height="28" rx="3"/>)", kWordX, kWordY,
                       kWordWidth) +
           label("name", kWordX + kWordWidth / 2, kWordY + 18, word);
  inner += arrow(kBoxWidth + 6, 27, kWordX + kWordWidth / 2 - 4, kWordY - 3) +
           arrow(kWordX + kWordWidth / 2 + 4, kWordY + 31, kRight - 3, kSecond + 23);
  inner += label("wrong-text", 4, kWordY + 32, "nothing orders the two");
  return framed(kSecond + kBoxHeight + 4, sentence(finding), inner);
}

/// The numbers of "[3][17]"; nothing where there is something else.
std::vector<std::int64_t> indices(std::string_view text) {
  std::vector<std::int64_t> all;
  for (std::size_t open; (open = text.find('[')) != text.npos;) {
    const std::size_t close = text.find(']', open);
    std::int64_t value = 0;
    if (close == text.npos) return {};
    const auto [end, error] = std::from_chars(text.data() + open + 1, text.data() + close, value);
    if (error != std::errc() || end != text.data() + close) return {};
    all.push_back(value);
    text.remove_prefix(close + 1);
  }
  return all;
}

/// Where an access lies in one direction of its array.
struct Edge {
  std::string name;         ///< "in[1][0]"
  std::int64_t index = 0;   ///< where it goes
  std::int64_t extent = 0;  ///< elements, or bytes, that there are
  std::string direction;    ///< "first index", or empty
};

std::optional<Edge> edge_of(const Finding& finding) {
  if ((finding.cure.kind == Cure::check_index_of || finding.cure.kind == Cure::correct_index_of) &&
      finding.cure.operands.size() == 2) {
    const std::vector<std::int64_t> at = indices(finding.symbol), extents = indices(finding.cure.operands[1]);
    static constexpr const char* kDirections[] = {"first index", "second index", "third index"};
    if (at.size() != extents.size()) return std::nullopt;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] < 0 || at[i] >= extents[i])
        return Edge{finding.symbol, at[i], extents[i],
                    at.size() > 1 && i < std::size(kDirections) ? kDirections[i] : ""};
    return std::nullopt;
  }
  if (!finding.in_buffer || finding.in_buffer->buffer.size == 0) return std::nullopt;
  const auto offset = static_cast<std::int64_t>(finding.in_buffer->offset),
             size = static_cast<std::int64_t>(finding.in_buffer->buffer.size);
  if (offset < size) return std::nullopt;
  return Edge{finding.in_buffer->buffer.origin, offset, size, "byte"};
}

std::string cell(const char* kind, int x, int y, const std::string& name) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>)", kind, x + 1, y,
                     kCellSize - 2, kCellSize - 6) +
         label("name", x + kCellSize / 2, y + 18, name);
}

/// The last elements that there are, the edge, and the place past it.
std::string out_of_bounds(const Finding& finding, const Edge& edge) {
  constexpr int kTop = 30, kShown = 5;
  const bool before = edge.index < 0;
  const std::int64_t shown = std::min<std::int64_t>(kShown, edge.extent);
  const bool cut = shown < edge.extent;
  std::string inner = label(
      "who", 4, 16, edge.direction.empty() ? edge.name : fmt::format("{}, {}", edge.name, edge.direction));
  int x = 4;
  const auto place = [&](const char* kind, std::int64_t index) {
    inner += cell(kind, x, kTop, fmt::format("{}", index));
    x += kCellSize;
  };
  const auto gap = [&] {
    inner += label("who", x + 8, kTop + 18, "…");
    x += kCellSize;
  };
  const auto border = [&] {
    inner += fmt::format(R"(<path class="edge" d="M{} {}v{}"/>)", x + 3, kTop - 6, kCellSize + 6);
    x += 6;
  };
  if (before) {
    place("wrong", edge.index);
    if (edge.index < -1) gap();
    border();
  }
  if (cut && !before) gap();
  for (std::int64_t i = 0; i < shown; ++i) place("there", before ? i : edge.extent - shown + i);
  if (cut && before) gap();
  if (!before) {
    border();
    if (edge.index > edge.extent) gap();
    place("wrong", edge.index);
  }
  const std::string last =
      edge.extent == 0 ? "there is none" : fmt::format("the last one is {}", edge.extent - 1);
  inner += label("wrong-text", 4, kTop + kCellSize + 16,
                 fmt::format("line {} {} {}; {}", finding.line, verb_of(finding.access), edge.index, last));
  return framed(kTop + kCellSize + 24, sentence(finding), inner);
}

/// Two threads, of which one waits where the other does not come.
std::string apart(const Finding& finding) {
  const OtherParty& other = *finding.other;
  constexpr int kRight = kDrawing - kBoxWidth - 4;
  std::string inner =
      party(4, 4, finding.block, finding.thread, finding.line, finding.access, finding.block == other.block) +
      party(kRight, 4, other.block, other.thread, other.line, other.access, finding.block == other.block);
  inner += fmt::format(R"(<path class="missing" d="M{} 27H{}"/>)", kBoxWidth + 10, kRight - 6);
  inner += label("wrong-text", kBoxWidth + 22, 20, "do not meet");
  return framed(kBoxHeight + 10, sentence(finding), inner);
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
  switch (finding.kind) {
    case FindingKind::race:
      return finding.other && finding.other->line > 0 && finding.line > 0 ? race(finding) : "";
    case FindingKind::out_of_bounds: {
      const std::optional<Edge> edge = edge_of(finding);
      return edge ? out_of_bounds(finding, *edge) : "";
    }
    case FindingKind::barrier:
      return finding.other && finding.other->line > 0 && finding.line > 0 ? apart(finding) : "";
    default:
      return {};
  }
}

}  // namespace sim::lens
