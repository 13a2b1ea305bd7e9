#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/lens/markup.h"
#include "simulator/lens/timeline/timeline.h"

namespace sim::lens {
namespace {

using Kind = TimelineSpan::Kind;

constexpr double kNames = 200, kTime = 640, kRowHeight = 16, kAxis = 20;  // pixels
constexpr std::size_t kMostSpans = 4000;                                  // of a row

const char* class_of(Kind kind) {
  switch (kind) {
    case Kind::copy:
    case Kind::store:
      return "used";
    case Kind::product:
    case Kind::multiply:
      return "several";
    default:
      return "wasted";
  }
}

/// A round step of an axis with some eight of them.
double step_of(double whole) {
  const double rough = whole / 8, power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-9))));
  for (const double factor : {1., 2., 5.})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

class Chart {
 public:
  Chart(const Timeline& timeline, const TimelineView& view)
      : timeline_(timeline), view_(view), per_ns_(kTime / std::max(view.shown_ns, 1.0)) {}

  std::string run() {
    axis();
    for (std::size_t i = 0; i < view_.rows.size(); ++i) row(view_.rows[i], kAxis + double(i) * kRowHeight);
    const double height = kAxis + double(view_.rows.size()) * kRowHeight + 4;
    return fmt::format(
        R"(<svg width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img"><title>{2}</title>{3}</svg>)",
        kNames + kTime + 8, height, escaped("Timeline, modelled: " + extent_in_words(timeline_, view_)),
        out_);
  }

 private:
  double x(double ns) const { return kNames + std::min(ns, view_.shown_ns) * per_ns_; }

  void axis() {
    const double step = step_of(view_.shown_ns), bottom = kAxis + double(view_.rows.size()) * kRowHeight;
    for (double ns = 0; ns <= view_.shown_ns; ns += step) {
      out_ += fmt::format(R"(<text x="{:.1f}" y="11">{}</text>)", x(ns), escaped(time_in_words(ns)));
      out_ += fmt::format(R"(<path class="idle" d="M{:.1f} 14V{:.0f}"/>)", x(ns), bottom);
    }
  }

  void rect(const char* kind, double begin, double end, double y, const std::string& says) {
    if (begin >= view_.shown_ns) return;
    out_ += fmt::format(
        R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.0f}"><title>{}</title></rect>)",
        kind, x(begin), y + 2, std::max(0.5, x(end) - x(begin)), kRowHeight - 4, escaped(says));
  }

  void row(const TimelineRow& row, double y) {
    out_ += fmt::format(R"(<text class="label" x="{:.0f}" y="{:.0f}">{}</text>)", kNames - 6, y + 12,
                        escaped(row.label));
    if (row.kind == TimelineRow::Kind::activity) rect("off", 0, row.end_ns, y, row.label);
    for (std::size_t i = 0; i < std::min(row.spans.size(), kMostSpans); ++i) {
      const TimelineSpan& s = row.spans[i];
      rect(class_of(s.kind), s.begin_ns, s.end_ns, y, in_words(s));
    }
  }

  std::string in_words(const TimelineSpan& s) const {
    std::string text = to_string(s.kind);
    if (s.stage >= 0 && std::size_t(s.stage) < timeline_.stages.size())
      text += ", " + timeline_.stages[std::size_t(s.stage)];
    text += fmt::format(": {} from {} on, warp {}", time_in_words(s.end_ns - s.begin_ns),
                        time_in_words(s.begin_ns), s.warp);
    if (s.line < timeline_.lines.size() && timeline_.lines[s.line].line > 0)
      text += fmt::format(", line {}", timeline_.lines[s.line].line);
    return text;
  }

  const Timeline& timeline_;
  const TimelineView& view_;
  const double per_ns_;
  std::string out_;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline) {
  const TimelineView view = view_of(timeline);
  return Chart(timeline, view).run();
}

}  // namespace sim::lens
