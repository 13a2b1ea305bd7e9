#include "grader/present/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "simulator/lens/markup.h"

namespace ladder::cli {
namespace {

using sim::lens::escaped;

constexpr double kFieldWidth = 900, kFieldHeight = 560;
constexpr double kFieldLeft = 190, kFieldRight = 680, kFieldTop = 70,
                 kFieldBottom = 490;  // the field with both axes; names of levels at its right
constexpr double kStripLeft = 70, kStripRight = 150;  // of what only moves data
constexpr const char* kColours[] = {"#3b7dd8", "#e8833a", "#3f9d63", "#b0508e", "#8a6d3b", "#3aa6a6",
                                    "#c94f4f", "#6b63c9", "#7a9a2f", "#d19a1b", "#4f6f8f", "#a0609e"};

/// Colours of what is no dot, light and dark: the picture stands in pages, and as a file by itself.
constexpr const char* kStyle =
    "<style>.roofline .paper{fill:#fff}.roofline .ink{fill:#22303c}.roofline .faint{fill:#57606a}"
    ".roofline .level{stroke:#22303c}.roofline .grid{stroke:#e3e8ed}"
    "@media(prefers-color-scheme:dark){.roofline .paper{fill:#15181b}.roofline .ink{fill:#e6e9ec}"
    ".roofline .faint{fill:#9aa4ae}.roofline .level{stroke:#c9d1d9}.roofline "
    ".grid{stroke:#30363d}}</style>\n";

/// A range of whole decades (or, of the intensity, of powers of two) and its place on the picture.
struct Axis {
  double low, high;  // exponents
  double base;
  double from, to;  // pixels; `from` belongs to `low`

  double at(double value) const {
    const double exponent = std::log(value) / std::log(base);
    return from + (std::clamp(exponent, low, high) - low) / (high - low) * (to - from);
  }
};

Axis axis(double least, double most, double base, double from, double to) {
  const double low = std::floor(std::log(least) / std::log(base));
  return {low, std::max(low + 1, std::ceil(std::log(most) / std::log(base))), base, from, to};
}

std::string line(double x1, double y1, double x2, double y2, const char* kind, double width) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"{}\"/>\n",
      kind, x1, y1, x2, y2, width);
}

std::string words(double x, double y, const std::string& text, const char* anchor, int size = 12,
                  const char* kind = "ink") {
  return fmt::format(
      "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", kind, x,
      y, size, anchor, escaped(text));
}

/// "67 TFLOP/s", "4.1 TB/s": @p giga in units of 10^9.
std::string rate(double giga, const char* unit) {
  if (giga >= 1e6) return fmt::format("{:.3g} P{}", giga / 1e6, unit);
  if (giga >= 1000) return fmt::format("{:.3g} T{}", giga / 1000, unit);
  if (giga >= 1) return fmt::format("{:.3g} G{}", giga, unit);
  return fmt::format("{:.3g} M{}", giga * 1000, unit);
}

std::string power_of_two(int exponent) {
  return exponent >= 0 ? std::to_string(1 << exponent) : "1/" + std::to_string(1 << -exponent);
}

class Picture {
 public:
  explicit Picture(const Roofline& roofline) : all_(roofline) {
    double least_x = 0.25, most_x = 64, least_y = 100, most_y = 1000;
    for (const Roof& roof : all_.roofs) {
      most_y = std::max(most_y, roof.gigaflops_per_s);
      most_x = std::max(most_x, 2 * roof.gigaflops_per_s / all_.gigabytes_per_s);  // beyond the corner
    }
    for (const RooflinePoint& point : all_.points) {
      if (!(point.intensity() > 0)) continue;
      least_x = std::min(least_x, point.intensity());
      most_x = std::max(most_x, point.intensity());
      least_y = std::min(least_y, point.gigaflops_per_s);
      most_y = std::max(most_y, point.gigaflops_per_s);
    }
    least_x = std::max(least_x, 0x1p-8);
    most_x = std::min(most_x, 0x1p14);
    x_ = axis(least_x, most_x, 2, kFieldLeft, kFieldRight);
    y_ = axis(std::max(least_y, 0.001), most_y * 1.5, 10, kFieldBottom, kFieldTop);
    for (const RooflinePoint& point : all_.points)
      colours_.emplace(point.lesson, kColours[colours_.size() % std::size(kColours)]);
  }

  std::string svg() const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
               "height=\"{1}\" class=\"roofline\" role=\"img\" font-family=\"Helvetica, Arial, DejaVu Sans, "
               "sans-serif\">\n"
               "<title>Roofline of {2}</title>\n{3}<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
               kFieldWidth, kFieldHeight, escaped(all_.device), kStyle) +
           head() + grid() + strip() + roof() + points() + level_names() + "</svg>\n";
  }

 private:
  std::string head() const {
    const std::string times = all_.modelled ? ": times modelled, not measured" : "";
    return words(20, 30, "Roofline of " + all_.device + times, "start", 17) +
           words((kFieldLeft + kFieldRight) / 2, kFieldBottom + 48,
                 "operations for each byte that has to move (flop/B)", "middle") +
           words(kFieldLeft, kFieldTop - 12, "operations a second", "start") +
           words((kStripLeft + kStripRight) / 2, kFieldBottom + 48, "only moves data", "middle");
  }

  std::string grid() const {
    std::string out;
    for (int e = static_cast<int>(y_.low); e <= static_cast<int>(y_.high); ++e) {
      const double y = y_.at(std::pow(10.0, e));
      out += line(kFieldLeft, y, kFieldRight, y, "grid", 1);
      out += words(kFieldLeft - 6, y + 4, rate(std::pow(10.0, e), ""), "end", 10, "faint");
    }
    for (int e = static_cast<int>(x_.low); e <= static_cast<int>(x_.high); ++e) {
      const double x = x_.at(std::ldexp(1.0, e));
      out += line(x, kFieldTop, x, kFieldBottom, "grid", 1);
      if ((e - static_cast<int>(x_.low)) % 2 == 0)
        out += words(x, kFieldBottom + 18, power_of_two(e), "middle", 11, "faint");
    }
    return out;
  }

  double share_at(double share) const {
    return kFieldBottom - std::clamp(share, 0.0, 1.1) / 1.1 * (kFieldBottom - kFieldTop);
  }

  std::string strip() const {
    std::string out;
    for (const int percent : {0, 25, 50, 75, 100}) {
      const double y = share_at(percent / 100.0);
      out += line(kStripLeft, y, kStripRight, y, percent == 100 ? "level" : "grid", percent == 100 ? 2 : 1);
      out += words(kStripLeft - 6, y + 4, fmt::format("{} %", percent), "end", 10, "faint");
    }
    return out + words((kStripLeft + kStripRight) / 2, kFieldBottom + 18, rate(all_.gigabytes_per_s, "B/s"),
                       "middle", 11, "faint");
  }

  /// The slope up to the highest level, and a level for each kind of unit.
  std::string roof() const {
    const double left = std::pow(2.0, x_.low), right = std::pow(2.0, x_.high);
    double highest =
        std::min(all_.gigabytes_per_s * right, std::pow(10.0, y_.high));  // where the picture ends
    if (!all_.roofs.empty()) {
      highest = 0;
      for (const Roof& level : all_.roofs) highest = std::max(highest, level.gigaflops_per_s);
    }
    const double lowest = std::pow(10.0, y_.low);
    const double from = std::max(left, lowest / all_.gigabytes_per_s);
    const double corner = std::min(right, highest / all_.gigabytes_per_s);
    std::string out = line(x_.at(from), y_.at(from * all_.gigabytes_per_s), x_.at(corner),
                           y_.at(corner * all_.gigabytes_per_s), "level", 2);
    for (const Roof& level : all_.roofs) {
      const double y = y_.at(level.gigaflops_per_s);
      out += line(x_.at(level.gigaflops_per_s / all_.gigabytes_per_s), y, kFieldRight, y, "level", 2);
    }
    // Nearer to the foot, where there are fewer dots.
    const double middle = std::pow(from, 0.65) * std::pow(corner, 0.35);
    const double x = x_.at(middle), y = y_.at(middle * all_.gigabytes_per_s);
    const double slope = std::atan2(y_.at(corner * all_.gigabytes_per_s) - y_.at(from * all_.gigabytes_per_s),
                                    x_.at(corner) - x_.at(from));
    return out + fmt::format("<g transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\">{}</g>\n", x, y,
                             slope * 180 / std::acos(-1.0),
                             words(0, -8, "memory: " + rate(all_.gigabytes_per_s, "B/s"), "middle", 12));
  }

  /// At the right of the field, off the lines: from the highest level down, with room for each.
  std::string level_names() const {
    constexpr double kRoom = 26;  // two lines of text: what it is, and how much
    std::vector<Roof> levels = all_.roofs;
    std::sort(levels.begin(), levels.end(),
              [](const Roof& a, const Roof& b) { return a.gigaflops_per_s > b.gigaflops_per_s; });
    std::string out;
    double free = 0;
    for (const Roof& level : levels) {
      const double own = y_.at(level.gigaflops_per_s), y = std::max(own - 3, free);
      free = y + kRoom;
      out += line(kFieldRight, own, kFieldRight + 14, y, "level", 1);
      out += words(kFieldRight + 18, y + 3, level.name, "start", 11) +
             words(kFieldRight + 18, y + 15, rate(level.gigaflops_per_s, "FLOP/s"), "start", 11, "faint");
    }
    return out;
  }

  std::string points() const {
    std::string dots, labels;
    std::vector<double> at_the_right;  // of the dots in the strip: heights of labels
    for (const RooflinePoint& point : all_.points) {
      if (!(point.gigabytes_per_s > 0)) continue;
      const bool moves = !(point.intensity() > 0);
      const double share = point.gigabytes_per_s / all_.gigabytes_per_s;
      const double x = moves ? (kStripLeft + kStripRight) / 2 : x_.at(point.intensity());
      const double y = moves ? share_at(share) : y_.at(point.gigaflops_per_s);
      const char* colour = colours_.at(point.lesson);
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\"><title>{} {}: "
          "{}{}</title>"
          "</circle>\n",
          x, y, point.best ? 5 : 3, colour, point.best ? 1 : 0.5, escaped(point.lesson), escaped(point.name),
          moves ? "" : rate(point.gigaflops_per_s, "FLOP/s") + ", ", rate(point.gigabytes_per_s, "B/s"));
      if (!point.best) continue;
      // In the strip the best of many lessons meet near the
      // top: where a label has its place taken, it goes left.
      const bool turn = moves && std::any_of(at_the_right.begin(), at_the_right.end(),
                                             [&](double taken) { return std::abs(y - taken) < 10; });
      if (moves && !turn) at_the_right.push_back(y);
      labels += words(turn ? x - 8 : x + 8, y + 4, point.lesson, turn ? "end" : "start", 11);
    }
    return dots + labels;
  }

  const Roofline& all_;
  Axis x_{}, y_{};
  std::map<std::string, const char*> colours_;
};

}  // namespace

std::string roofline_svg(const Roofline& roofline) { return Picture(roofline).svg(); }

}  // namespace ladder::cli
