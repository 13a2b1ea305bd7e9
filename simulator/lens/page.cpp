#include "simulator/lens/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "simulator/lens/picture.h"
#include "simulator/lens/text.h"

namespace sim::lens {
namespace {

constexpr int kCell = 15, kGap = 6, kLabel = 76;  // pixels
constexpr std::size_t kMostRows = 32, kMostSteps = 64;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #6a737d; --rule: #d8dee4;
  --used: #2da44e; --several: #8250df; --wasted: #f0b429; --hot: #d1242f; --panel: #f6f8fa; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #8b949e; --rule: #30363d;
  --used: #238636; --several: #8957e5; --wasted: #9e6a03; --hot: #f85149; --panel: #161b22; --on: #fff; } }
body { margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .2rem; font-family: ui-monospace, monospace; }
p { margin: .2rem 0; color: var(--faint); }
.two { display: grid; grid-template-columns: minmax(24rem, 1fr) minmax(38rem, 1.2fr); gap: 1.5rem; align-items: start; margin-top: .6rem; }
@media (max-width: 72rem) { .two { grid-template-columns: 1fr; } }
.source { font: 13px/1.55 ui-monospace, monospace; border: 1px solid var(--rule); border-radius: 6px; overflow-x: auto; background: var(--panel); padding: .4rem 0; }
.source a, .source span { display: grid; grid-template-columns: 3.2rem 3.4rem 1fr; white-space: pre; color: inherit; text-decoration: none; padding: 0 .5rem; }
.source a:hover { background: color-mix(in srgb, var(--used) 18%, transparent); }
.source i { font-style: normal; color: var(--faint); } .source b { font-weight: 600; color: var(--hot); }
.source .bar { background: linear-gradient(to right, color-mix(in srgb, var(--hot) 26%, transparent) var(--share), transparent 0); }
.figure { border: 1px solid var(--rule); border-radius: 6px; padding: .6rem .8rem; margin-bottom: .9rem; background: var(--panel); overflow-x: auto; }
.figure:target { border-color: var(--hot); } .figure h3 { margin: 0; font: 600 13px/1.5 ui-monospace, monospace; }
.figure h4 { margin: .5rem 0 .1rem; font-size: .9rem; font-weight: 600; }
svg text { font: 10px ui-monospace, monospace; fill: var(--faint); } svg .letter { fill: var(--on); text-anchor: middle; }
svg .used { fill: var(--used); } svg .several { fill: var(--several); } svg .wasted { fill: var(--wasted); opacity: .45; }
svg .untouched { fill: none; stroke: var(--rule); } svg .label { text-anchor: end; } svg .off { fill: var(--rule); }
.key span { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 .9em; }
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

int x_of(int cell) { return kLabel + cell * kCell + cell / 8 * kGap; }

std::string cell_svg(const Cell& c, int x, int y) {
  const char* kind = c.state == Cell::State::used     ? (c.lanes > 1 ? "several" : "used")
                     : c.state == Cell::State::wasted ? "wasted"
                                                      : "untouched";
  std::string out = fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>)", kind,
                                x + 1, y + 1, kCell - 2, kCell - 2);
  if (c.state == Cell::State::used)
    out += fmt::format(R"(<text class="letter" x="{}" y="{}">{}</text>)", x + kCell / 2, y + kCell - 4,
                       c.lanes == 32 ? "*" : std::string(1, lane_letter(c.lane)));
  return out;
}

/// The traced warp: time runs down, a column for each lane.
std::string trace_svg(const std::vector<TraceStep>& trace) {
  const std::size_t rows = std::min(trace.size(), kMostSteps);
  constexpr int kHeight = 9;
  std::string out =
      fmt::format(R"(<svg width="{}" height="{}" role="img">)", x_of(32) + 120, int(rows) * kHeight + 22);
  for (int lane = 0; lane < 32; lane += 8)
    out += fmt::format(R"(<text x="{}" y="11">lane {}</text>)", x_of(lane), lane);
  for (std::size_t r = 0; r < rows; ++r) {
    const TraceStep& s = trace[r];
    const int y = 18 + int(r) * kHeight;
    if (r == 0 || trace[r - 1].line != s.line)
      out += fmt::format(R"(<text class="label" x="{}" y="{}">line {}</text>)", kLabel - 8, y + 8, s.line);
    for (int lane = 0; lane < 32; ++lane)
      out +=
          fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)",
                      (s.mask >> lane & 1) != 0 ? "used" : "off", x_of(lane) + 1, y, kCell - 2, kHeight - 1);
    out += fmt::format(R"(<text x="{}" y="{}">{} lanes, {}</text>)", x_of(32) + 4, y + 8,
                       std::popcount(s.mask), s.instructions);
  }
  return out + "</svg>";
}

std::string figure(const LineRecord& line, double share, std::size_t section,
                   const std::vector<std::string>& text) {
  const std::string code =
      std::size_t(line.line) <= text.size() && line.line > 0 ? text[std::size_t(line.line) - 1] : "";
  std::string out =
      fmt::format("<div class=\"figure\" id=\"k{}l{}\"><h3>{}: {}</h3><p>{:.0f} % of the modelled time</p>",
                  section, line.line, line.line, escaped(code), 100 * share);
  for (const AccessRecord& a : line.accesses) {
    out += fmt::format("<h4>{}</h4><p>{}</p>", escaped(access_in_words(a)), escaped(pattern_in_words(a)));
    if (a.sample.mask != 0 && a.space != "local") out += svg_of(a);
  }
  return out + "</div>\n";
}

std::string section_of(const KernelRecord& kernel, std::size_t section,
                       const std::vector<std::string>& text) {
  std::string out = fmt::format(
      "<h2>{}</h2><p>&lt;&lt;&lt;{} × {} × {}, {} × {} × {}&gt;&gt;&gt;: {} modelled, bound by {}</p>\n",
      escaped(kernel.name), kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1],
      kernel.block[2], time_in_words(kernel.modelled_ns), kernel.bound);
  const std::vector<double> share = shares(kernel);
  std::map<int, std::size_t> by_line;
  for (std::size_t i = 0; i < kernel.lines.size(); ++i) by_line[kernel.lines[i].line] = i;
  out += "<div class=\"two\"><div class=\"source\">";
  for (std::size_t n = 1; n <= text.size(); ++n) {
    const auto known = by_line.find(int(n));
    const double s = known == by_line.end() ? 0 : share[known->second];
    const bool drawn = known != by_line.end() && !kernel.lines[known->second].accesses.empty();
    const std::string inner =
        fmt::format("<i>{}</i><b>{}</b><code>{}</code>", n,
                    s >= 0.005 ? fmt::format("{:.0f} %", 100 * s) : "", escaped(text[n - 1]));
    const std::string style = fmt::format("class=\"bar\" style=\"--share:{:.0f}%\"", 100 * s);
    out += drawn ? fmt::format("<a href=\"#k{}l{}\" {}>{}</a>", section, n, style, inner)
                 : fmt::format("<span {}>{}</span>", style, inner);
  }
  out += "</div><div>\n";
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < kernel.lines.size(); ++i)
    if (!kernel.lines[i].accesses.empty()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
  for (const std::size_t i : order) out += figure(kernel.lines[i], share[i], section, text);
  const bool parted = std::any_of(kernel.trace.begin(), kernel.trace.end(),
                                  [&](const TraceStep& s) { return s.mask != kernel.trace.front().mask; });
  if (parted)
    out +=
        "<div class=\"figure\"><h3>One warp's lanes over time</h3><p>Time runs down; a row is a line of the "
        "source.</p>" +
        trace_svg(kernel.trace) + "</div>\n";
  return out + "</div></div>\n";
}

}  // namespace

std::string svg_of(const AccessRecord& access) {
  const Picture p = picture_of(access);
  const std::size_t rows = std::min(p.rows.size(), kMostRows);
  std::string out =
      fmt::format(R"(<svg width="{}" height="{}" role="img">)", x_of(32) + 4, int(rows) * kCell + 18);
  for (int c = 0; c < 32; c += 8)
    out += fmt::format(R"(<text x="{}" y="11">{} {}</text>)", x_of(c), p.banks ? "bank" : "byte",
                       p.banks ? c : 4 * c);
  for (std::size_t r = 0; r < rows; ++r) {
    const int y = 15 + int(r) * kCell;
    const std::string label =
        p.banks ? fmt::format("pass {}", p.rows[r].label) : fmt::format("+{}", p.rows[r].label);
    out += fmt::format(R"(<text class="label" x="{}" y="{}">{}</text>)", kLabel - 8, y + kCell - 4, label);
    for (int c = 0; c < 32; ++c) out += cell_svg(p.rows[r].cells[std::size_t(c)], x_of(c), y);
  }
  return out + "</svg>";
}

std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const std::vector<std::string>& text) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n"
      "<p>What a typical warp did, as the simulator saw it; times are modelled. A cell is four bytes, its "
      "character the lane: "
      "0–9, a–v; * all lanes.</p>"
      "<p class=\"key\"><span style=\"background:var(--used)\"></span>one lane's<span "
      "style=\"background:var(--several)\"></span>"
      "several lanes'<span style=\"background:var(--wasted)\"></span>moved for nothing</p>\n",
      escaped(title), kStyle);
  for (std::size_t i = 0; i < kernels.size(); ++i) out += section_of(kernels[i], i, text);
  return out + "</body></html>\n";
}

}  // namespace sim::lens
