#include "grader/present/html/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/present/figures.h"
#include "simulator/lens/markup.h"

namespace ladder::cli {
namespace {

using sim::lens::escaped;

// In units of the picture, which is scaled to the width of the page: at 400, letters of 13 units are 11
// pixels high on a phone. "5 scan then propagate" fits at the left.
constexpr double kWidth = 400, kLeft = 156, kRight = 336, kRow = 24, kTop = 8;

/// Milliseconds to places on the picture.
class Scale {
 public:
  explicit Scale(const std::vector<ChartRow>& rows) {
    double least = 1e300, most = 0;
    for (const ChartRow& row : rows) {
      least = std::min(
          {least, row.timing.median_ms, row.timing.q1_ms > 0 ? row.timing.q1_ms : row.timing.median_ms});
      most = std::max({most, row.timing.median_ms, row.timing.q3_ms});
    }
    logarithmic_ = most > 10 * least;
    low_ = logarithmic_ ? std::floor(std::log10(least)) : 0;
    high_ = logarithmic_ ? std::ceil(std::log10(most * 1.001)) : most * 1.02;
  }
  double at(double milliseconds) const {
    const double value = logarithmic_ ? std::log10(milliseconds) : milliseconds;
    return kLeft + std::clamp((value - low_) / (high_ - low_), 0.0, 1.0) * (kRight - kLeft);
  }
  /// Where lines of the grid stand, in milliseconds.
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (logarithmic_) {
      const int step = std::max(1, static_cast<int>(std::ceil((high_ - low_) / 3)));  // four labels fit
      for (int e = static_cast<int>(low_); e <= static_cast<int>(high_); e += step)
        all.push_back(std::pow(10.0, e));
    } else {
      for (const double share : {0.0, 0.5, 1.0}) all.push_back(share * high_ / 1.02);
    }
    return all;
  }
  bool logarithmic() const { return logarithmic_; }

 private:
  bool logarithmic_ = false;
  double low_ = 0, high_ = 1;
};

std::string row_svg(const ChartRow& row, const Scale& scale, double y) {
  const Timing& t = row.timing;
  const double end = scale.at(t.median_ms), middle = y + kRow / 2;
  std::string out = fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", kLeft - 6, middle + 4,
                                escaped(row.label));
  out += fmt::format(R"(<rect class="bar" x="{}" y="{}" width="{:.1f}" height="{}" rx="2"/>)", kLeft, y + 5,
                     std::max(1.0, end - kLeft), kRow - 10);
  if (!t.modelled && t.q1_ms > 0 && t.q3_ms >= t.q1_ms) {
    const double from = scale.at(t.q1_ms), to = scale.at(t.q3_ms);
    out += fmt::format(R"(<path class="spread" d="M{0:.1f} {2}H{1:.1f}M{0:.1f} {3}V{4}M{1:.1f} {3}V{4}"/>)",
                       from, to, middle, middle - 5, middle + 5);
  }
  return out + fmt::format("<text class=\"value\" x=\"{}\" y=\"{}\">{}</text>\n", kRight + 6, middle + 4,
                           time_text(t.median_ms, Terminal()));
}

}  // namespace

std::string ladder_chart(const std::vector<ChartRow>& all, const std::string& description) {
  std::vector<ChartRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [](const ChartRow& row) { return row.timing.median_ms > 0; });
  if (rows.empty()) return {};
  const Scale scale(rows);
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  std::string out =
      fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                  bottom + 24, escaped(description));
  for (const double tick : scale.ticks()) {
    const double x = scale.at(tick);
    out += fmt::format(R"(<path class="grid" d="M{0:.1f} {1}V{2}"/>)", x, kTop, bottom);
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x,
                       bottom + 16, tick > 0 ? time_text(tick, Terminal()) : "0");
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += row_svg(rows[i], scale, kTop + kRow * static_cast<double>(i));
  return out + "</svg>\n";
}

}  // namespace ladder::cli
