#include "simulator/lens/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "simulator/lens/colours.css.h"
#include "simulator/lens/text.h"

namespace sim::lens {
namespace {

constexpr int kCell = 15, kGap = 6, kLabel = 76, kLaneHeight = 12;  // pixels
constexpr std::size_t kLabelLetters = 11;
constexpr int kLifeHeight = 6, kLifeTop = 4, kCounts = 64;
constexpr std::size_t kMostRows = 32, kMostSteps = 64;
constexpr std::size_t kRowsInFile = 8;  // of a panel; a README has little room

int x_of(int cell) { return kLabel + cell * kCell + cell / 8 * kGap; }
const int kWidth = x_of(32) + 4;

std::string text(const char* kind, int x, int y, const std::string& what) {
  return fmt::format(R"(<text{} x="{}" y="{}">{}</text>)", kind, x, y, escaped(what));
}

/// What a cell is, for a pointer that rests on it.
std::string title_of(const Cell& c, int column, const Row& row, bool banks) {
  if (c.state == Cell::State::untouched) return {};
  const std::string who = c.state == Cell::State::wasted ? "moved for nothing"
                          : c.lanes == 1                 ? fmt::format("lane {}", c.lane)
                                         : fmt::format("{} lanes, {} the first", c.lanes, c.lane);
  const std::string where =
      banks ? fmt::format("bank {}, pass {}", column, row.label)
            : fmt::format("bytes +{} to +{}", row.label + 4 * column, row.label + 4 * column + 3);
  return fmt::format("<title>{}: {}{}{}</title>", who, escaped(c.element), c.element.empty() ? "" : ", ",
                     where);
}

std::string cell_svg(const Cell& c, int x, int y, const std::string& title) {
  const char* kind = c.state == Cell::State::used     ? (c.lanes > 1 ? "several" : "used")
                     : c.state == Cell::State::wasted ? "wasted"
                                                      : "untouched";
  std::string out =
      fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"{})", kind, x + 1, y + 1,
                  kCell - 2, kCell - 2, title.empty() ? "/>" : ">" + title + "</rect>");
  if (c.state == Cell::State::used)
    out += text(" class=\"letter\"", x + kCell / 2, y + kCell - 4,
                c.lanes == 32 ? "*" : std::string(1, lane_letter(c.lane)));
  return out;
}

/// The rows of a picture from @p top on. @param titles  whether each cell says what it is @return the height
/// they take
int draw_rows(std::string& out, const Picture& p, int top, std::size_t most, bool titles) {
  const std::size_t rows = std::min(p.rows.size(), most);
  for (int c = 0; c < 32; c += 8)
    out += text("", x_of(c), top + 11, fmt::format("{} {}", p.banks ? "bank" : "byte", p.banks ? c : 4 * c));
  for (std::size_t r = 0; r < rows; ++r) {
    const int y = top + 15 + int(r) * kCell;
    out += text(" class=\"label\"", kLabel - 8, y + kCell - 4, label_of(p, p.rows[r], kLabelLetters));
    for (int c = 0; c < 32; ++c) {
      const Cell& cell = p.rows[r].cells[std::size_t(c)];
      out += cell_svg(cell, x_of(c), y, titles ? title_of(cell, c, p.rows[r], p.banks) : "");
    }
  }
  int height = 18 + int(rows) * kCell;
  if (rows < p.rows.size()) {
    out += text("", x_of(0), top + height + 9, fmt::format("and {} more like these", p.rows.size() - rows));
    height += 14;
  }
  return height;
}

std::string opened(int width, int height, const std::string& says) {
  return fmt::format(R"(<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
                     R"(role="img"><title>{2}</title>)",
                     width, height, escaped(says));
}

}  // namespace

std::string svg_colours() { return std::string(embedded::colours_css); }

const char* svg_style() {
  return "svg text { font: 10px ui-monospace, monospace; fill: var(--faint); }\n"
         "svg .letter { fill: var(--on); text-anchor: middle; } svg .label { "
         "text-anchor: end; }\n"
         "svg .used { fill: var(--used); } svg .several { fill: var(--several); }\n"
         "svg .wasted { fill: var(--wasted); opacity: .5; } svg .off { fill: var(--rule); }\n"
         "svg .busy { stroke: var(--used); fill: none; } svg .idle { stroke: var(--rule); fill: none; }\n"
         "svg .untouched { fill: none; stroke: var(--rule); }\n";
}

std::string svg_of(const AccessRecord& access) {
  const Picture p = picture_of(access);
  std::string inner;
  const int height = draw_rows(inner, p, 0, kMostRows, true);
  return opened(kWidth, height, access_in_words(access) + ": " + pattern_in_words(access)) + inner + "</svg>";
}

std::string svg_of(const std::vector<TraceStep>& trace, const std::string& main_file) {
  const std::vector<Stretch> all = stretches(trace);
  const std::size_t rows = std::min(all.size(), kMostSteps);
  const bool cut = rows < all.size();
  std::string out = opened(x_of(32) + kCounts, int(rows) * kLaneHeight + (cut ? 38 : 22),
                           "The lanes of one warp, step by step");
  for (int lane = 0; lane < 32; lane += 8) out += text("", x_of(lane), 11, fmt::format("lane {}", lane));
  for (std::size_t r = 0; r < rows; ++r) {
    const Stretch& s = all[r];
    const int y = 18 + int(r) * kLaneHeight;
    std::string where = lines_in_words(s, main_file);
    if (where.size() > kLabelLetters)
      where = "…" + where.substr(where.size() - kLabelLetters + 1);  // the line counts, not the file
    out += text(" class=\"label\"", kLabel - 8, y + 9, where);
    for (int lane = 0; lane < 32; ++lane)
      out += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)",
                         (s.mask >> lane & 1) != 0 ? "used" : "off", x_of(lane) + 1, y, kCell - 2,
                         kLaneHeight - 1);
    out += text("", x_of(32) + 4, y + 9, fmt::format("{} × {}", std::popcount(s.mask), s.instructions));
  }
  if (cut)
    out += text("", x_of(0), 18 + int(rows) * kLaneHeight + 12,
                fmt::format("and {} steps more", all.size() - rows));
  return out + "</svg>";
}

namespace {

std::string life_in_words(const Activity& activity) {
  return fmt::format("All of one warp, {} instructions: {:.1f} of 32 lanes at work on average",
                     activity.instructions, activity.average);
}

/// Rows of lanes from height @p top on. @return the height of all of it
int draw_life(std::string& out, const Activity& activity, int top) {
  constexpr int kSteps = 4;  // of opacity
  const double width = double(x_of(32) - kLabel) / double(std::max<std::size_t>(1, activity.bins.size()));
  std::array<std::string, kSteps + 1> paths;
  for (int lane = 0; lane < 32; ++lane) {
    const auto level = [&](std::size_t bin) {
      const double part = activity.bins[bin][std::size_t(lane)];
      return std::size_t(std::ceil(std::clamp(part, 0.0, 1.0) * kSteps - 1e-9));
    };
    for (std::size_t from = 0, to; from < activity.bins.size(); from = to) {
      for (to = from + 1; to < activity.bins.size() && level(to) == level(from);) ++to;
      paths[level(from)] +=
          fmt::format("M{:.1f} {}h{:.1f}", kLabel + width * double(from),
                      top + lane * kLifeHeight + kLifeHeight / 2, width * double(to - from));
    }
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (!paths[i].empty())
      out +=
          fmt::format(R"(<path class="{}" stroke-width="{}" opacity="{}" d="{}"/>)", i == 0 ? "idle" : "busy",
                      kLifeHeight - 1, i == 0 ? 1.0 : double(i) / kSteps, paths[i]);
  for (int lane = 0; lane < 32; lane += 8)
    out += text(" class=\"label\"", kLabel - 8, top + lane * kLifeHeight + 7, fmt::format("lane {}", lane));
  out += text("", kLabel, top + 32 * kLifeHeight + 12, "time →");
  return 32 * kLifeHeight + 16;
}

}  // namespace

std::string svg_of(const Activity& activity) {
  std::string inner;
  const int height = kLifeTop + draw_life(inner, activity, kLifeTop);
  return opened(x_of(32) + 4, height, life_in_words(activity)) + inner + "</svg>";
}

std::string svg_file(const std::string& title, const std::vector<Panel>& panels) {
  std::string inner;
  int y = 10;
  bool has_cells = false;
  for (const Panel& panel : panels) {
    inner += text(" class=\"heading\"", 10, y + 13, panel.heading);
    if (const auto* life = std::get_if<Activity>(&panel.shown)) {
      inner += text(" class=\"words\"", 10, y + 29, life_in_words(*life));
      y += 40;
      y += draw_life(inner, *life, y) + 16;
      continue;
    }
    const auto& access = std::get<AccessRecord>(panel.shown);
    has_cells = true;
    inner += text(" class=\"words\"", 10, y + 29, access_in_words(access));
    inner += text(" class=\"words\"", 10, y + 44, pattern_in_words(access));
    y += 50;
    y += draw_rows(inner, picture_of(access), y, kRowsInFile, false) + 16;
  }
  if (has_cells) {
    inner += text(" class=\"words\"", 10, y + 8,
                  "A cell is four bytes, its character the lane: 0-9, a-v; * all lanes.");
    y += 20;
  }
  std::string svg = opened(kWidth + 6, y, title);
  svg.insert(4, R"( xmlns="http://www.w3.org/2000/svg")");  // which a page does without
  return svg + "<style>" + svg_colours() + svg_style() +
         "svg .paper { fill: var(--paper); } svg .heading { font: 600 13px sans-serif; fill: var(--ink); }\n"
         "svg .words { font: 11.5px sans-serif; }</style>\n" +
         "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>" + inner + "</svg>\n";
}

}  // namespace sim::lens
