#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "language/catalogue.h"
#include "simulator/lens/finding/picture.h"
#include "simulator/lens/finding/scene.h"

namespace sim::lens {
namespace {

constexpr std::size_t kFindingColumns = 72;  // of a line, behind its margin

class FindingWriter {
 public:
  explicit FindingWriter(const TextStyle& style) : style_(style) {}

  void operator()(std::monostate) {}

  /// Time runs down: the other party's access, the line that nothing orders, and this one's.
  void operator()(const Meeting& scene) {
    const std::size_t left = std::max(columns_of(scene.first.who), columns_of(scene.first.what));
    const std::string arrow = pick(" ───▶ ", " ---> ");
    const std::string gap(left + columns_of(arrow), ' '),
        beyond(columns_of(scene.word) + columns_of(arrow), ' ');
    add("{}{}{}", scene.first.who, std::string(left - columns_of(scene.first.who), ' '), "");
    add("{:<{}}{}{}", scene.first.what, left, arrow, wrong(scene.word));
    const std::string says = fmt::format(" {} ", tr("nothing orders the two"));
    const std::size_t width = gap.size() + beyond.size() + columns_of(scene.second.what);
    const std::size_t side = width > columns_of(says) ? (width - columns_of(says)) / 2 : 2;
    add("{}", wrong(line(side) + says + line(side)));
    add("{}{}{}{}", gap, wrong(scene.word), arrow, scene.second.what);
    add("{}{}{}", gap, beyond, scene.second.who);
  }

  /// The last elements that there are, the edge, and the place past it.
  void operator()(const Edge& scene) {
    const std::string between = pick(" │ ", " | "), edge = pick(" ┃ ", " # "), more = pick("…", "...");
    const bool before = scene.index < 0;
    add("{}", scene.name);
    std::string cells;
    std::size_t mark = 0;  // where the wrong place is written
    const auto append = [&](const std::string& text, const std::string& separator) {
      cells += (cells.empty() ? "" : separator) + text;
    };
    const auto place = [&](const std::string& separator) {
      cells += cells.empty() ? "" : separator;
      mark = columns_of(cells);
      cells += fmt::format("{}", scene.index);
    };
    if (before) place("");
    bool behind_edge = before;
    if (before && scene.index < -1) cells += " " + more;
    const auto next = [&]() -> const std::string& {
      const std::string& separator = behind_edge ? edge : between;
      behind_edge = false;
      return separator;
    };
    if (scene.cut_before) append(more, next());
    for (std::int64_t i = scene.first; i <= scene.last; ++i) append(fmt::format("{}", i), next());
    if (scene.cut_behind) append(more, next());
    if (!before) {
      if (cells.empty()) cells = " ";
      if (scene.index > scene.last + 1)
        append(more, edge), place(" ");
      else
        place(edge);
    }
    add("{}", cells);
    // The words stand left of the mark where they would not fit behind it.
    const std::string arrow = pick("▲", "^");
    if (mark + 2 + columns_of(scene.what) <= kFindingColumns)
      add("{}{}", std::string(mark, ' '), wrong(arrow + " " + scene.what));
    else
      add("{}{}", std::string(mark > columns_of(scene.what) ? mark - columns_of(scene.what) - 1 : 0, ' '),
          wrong(scene.what + " " + arrow));
  }

  void operator()(const Apart& scene) {
    const std::size_t left = std::max(columns_of(scene.waiting.who), columns_of(scene.waiting.what));
    const std::string between = "  " + line(2) + fmt::format(" {} ", tr("do not meet")) + line(2) + "  ";
    add("{:<{}}{}{}", scene.waiting.who, left, std::string(columns_of(between), ' '), scene.elsewhere.who);
    add("{:<{}}{}{}", scene.waiting.what, left, wrong(between), scene.elsewhere.what);
  }

  /// One below the other, with an arrow to what each waits for.
  void operator()(const Deadlock& scene) {
    std::size_t who = 0, what = 0;
    for (const Deadlock::Group& group : scene.groups) {
      who = std::max(who, columns_of(group.party.who));
      what = std::max(what, columns_of(group.party.what));
    }
    for (const Deadlock::Group& group : scene.groups) {
      const std::string start = fmt::format("{:<{}}  {:<{}}", group.party.who, who, group.party.what, what);
      if (group.wanted.empty()) {
        add("{}", start.substr(0, start.find_last_not_of(' ') + 1));
      } else if (columns_of(start) + 6 + columns_of(group.wanted) <= kFindingColumns) {
        add("{}{}{}", start, pick(" ───▶ ", " ---> "), wrong(group.wanted));
      } else {
        add("{}", start);
        wrapped(group.wanted);
      }
    }
  }

  void operator()(const Unwritten& scene) {
    const std::string arrow = pick(" ───▶ ", " ---> ");
    const std::string nobody = tr("nobody has written it");
    const std::size_t left = std::max(columns_of(scene.name), columns_of(nobody));
    add("{}{}{}{}", wrong(scene.name), std::string(left - columns_of(scene.name), ' '), arrow,
        scene.reader.what);
    add("{}{}{}", wrong(nobody), std::string(left - columns_of(nobody) + columns_of(arrow), ' '),
        scene.reader.who);
  }

  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    lines_.push_back("      " + fmt::format(text, std::forward<T>(values)...));
  }
  /// Of a long text, lines below the arrow.
  void wrapped(std::string text) {
    for (std::string lead = pick("   ───▶ ", "   ---> "); !text.empty(); lead = "        ") {
      std::size_t end = text.size();
      if (end > kFindingColumns - 8) end = text.rfind(' ', kFindingColumns - 8);
      if (end == text.npos || end == 0) end = text.size();
      add("{}{}", lead, wrong(text.substr(0, end)));
      text.erase(0, end + (end < text.size() ? 1 : 0));
    }
  }
  std::string pick(const char* fancy, const char* plain) const { return style_.unicode ? fancy : plain; }
  std::string wrong(const std::string& text) const {
    return style_.colour ? "\033[31m" + text + "\033[0m" : text;
  }
  std::string line(std::size_t length) const {
    std::string all;
    for (std::size_t i = 0; i < length; ++i) all += pick("╌", "-");
    return all;
  }
  const TextStyle style_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> text_of(const Finding& finding, const TextStyle& style) {
  FindingWriter writer(style);
  std::visit(writer, scene_of(finding));
  return std::move(writer).lines();
}

}  // namespace sim::lens
