#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simulator/lens/text.h"
#include "simulator/lens/timeline/timeline.h"

namespace sim::lens {
namespace {

using Kind = TimelineSpan::Kind;

constexpr std::size_t kRowLabel = 22, kTimeColumns = 54;

/// How much of each column the spans of a kind take, 0 to 1.
std::array<double, kTimeColumns> cover(const TimelineRow& row, double column_ns, Kind kind) {
  std::array<double, kTimeColumns> part{};
  for (const TimelineSpan& s : row.spans) {
    if (s.kind != kind) continue;
    for (auto i = std::size_t(s.begin_ns / column_ns); i < kTimeColumns && double(i) * column_ns < s.end_ns;
         ++i)
      part[i] +=
          (std::min(s.end_ns, double(i + 1) * column_ns) - std::max(s.begin_ns, double(i) * column_ns)) /
          column_ns;
  }
  return part;
}

class Drawing {
 public:
  Drawing(const TimelineView& view, const TextStyle& style)
      : style_(style), column_ns_(std::max(view.shown_ns, 1.0) / kTimeColumns) {}

  double column_ns() const { return column_ns_; }

  std::string row(const TimelineRow& row) const {
    std::string label = row.label;
    if (label.size() > kRowLabel) label = label.substr(0, kRowLabel - 2) + "..";
    return fmt::format("  {:<{}} {}", label, kRowLabel,
                       row.kind == TimelineRow::Kind::activity ? activity(row) : busy(row));
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return style_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }

  /// What a warp does most of a column's time.
  std::string activity(const TimelineRow& row) const {
    static constexpr std::array kWaits = {Kind::wait_stage,  Kind::wait_block,    Kind::wait_copies,
                                          Kind::wait_stores, Kind::wait_products, Kind::load};
    std::array<std::array<double, kTimeColumns>, kWaits.size()> parts;
    for (std::size_t k = 0; k < kWaits.size(); ++k) parts[k] = cover(row, column_ns_, kWaits[k]);
    std::string text;
    for (std::size_t i = 0; i < kTimeColumns; ++i) {
      if (double(i) * column_ns_ >= row.end_ns) break;
      double works = 1, most = 0;
      std::size_t wait = 0;
      for (std::size_t k = 0; k < kWaits.size(); ++k) {
        works -= parts[k][i];
        if (parts[k][i] > most) most = parts[k][i], wait = k;
      }
      text += works >= most ? paint("32", style_.unicode ? "█" : "#")
                            : paint("33", std::string(1, wait_letter(kWaits[wait])));
    }
    return text;
  }

  /// Where something is under way: all of a column, or a part of it.
  std::string busy(const TimelineRow& row) const {
    std::array<double, kTimeColumns> part{};
    for (const Kind kind : {Kind::copy, Kind::store, Kind::product, Kind::multiply}) {
      const auto one = cover(row, column_ns_, kind);
      for (std::size_t i = 0; i < kTimeColumns; ++i) part[i] += one[i];
    }
    const char* const colour = row.kind == TimelineRow::Kind::tensor_cores ? "35" : "36";
    std::string text;
    for (const double p : part) {
      const char* const cell = p < 0.02  ? (style_.unicode ? "·" : ".")
                               : p < 0.7 ? (style_.unicode ? "▒" : "-")
                                         : (style_.unicode ? "▓" : "=");
      text += p < 0.02 ? paint("2", cell) : paint(colour, cell);
    }
    return text;
  }

  const TextStyle style_;
  const double column_ns_;
};

std::string plain(std::string text, const TextStyle& style) {
  if (const std::size_t micro = text.find("µ"); !style.unicode && micro != text.npos)
    return plain(text.replace(micro, std::string_view("µ").size(), "u"), style);
  return text;
}

/// A sentence in lines that fit the width.
void add_wrapped(std::vector<std::string>& lines, std::string rest) {
  constexpr std::size_t kWidth = 76;
  for (const char* lead = "  "; !rest.empty(); lead = "    ") {
    std::size_t end = rest.size();
    if (end > kWidth) end = rest.rfind(' ', kWidth);
    if (end == rest.npos || end == 0) end = std::min(rest.size(), kWidth);
    lines.push_back(lead + rest.substr(0, end));
    rest.erase(0, end + (end < rest.size() && rest[end] == ' ' ? 1 : 0));
  }
}

/// What the characters of the picture mean, of those that there are.
std::string legend_of(const TimelineView& view, const TextStyle& style) {
  static constexpr std::array<std::pair<Kind, const char*>, 6> kWords{{{Kind::wait_stage, "an mbarrier"},
                                                                       {Kind::wait_block, "a barrier"},
                                                                       {Kind::wait_copies, "copies"},
                                                                       {Kind::wait_stores, "stores"},
                                                                       {Kind::wait_products, "tensor cores"},
                                                                       {Kind::load, "loads"}}};
  std::string waits;
  for (const auto& [kind, words] : kWords) {
    const bool there = std::any_of(view.rows.begin(), view.rows.end(), [kind = kind](const TimelineRow& row) {
      return row.kind == TimelineRow::Kind::activity &&
             std::any_of(row.spans.begin(), row.spans.end(),
                         [&](const TimelineSpan& s) { return s.kind == kind; });
    });
    if (there)
      waits += fmt::format("{}{} {}", waits.empty() ? "; waits for " : ", ", wait_letter(kind), words);
  }
  return fmt::format("{} works{}; {} copies, stores and tensor cores at work", style.unicode ? "█" : "#",
                     waits, style.unicode ? "▓" : "=");
}

}  // namespace

std::vector<std::string> timeline_text(const Timeline& timeline, const TextStyle& style) {
  std::vector<std::string> lines;
  if (timeline.empty()) return lines;
  const TimelineView view = view_of(timeline);
  const Drawing drawing(view, style);
  add_wrapped(lines, plain("Timeline, modelled: " + extent_in_words(timeline, view), style));
  add_wrapped(lines, plain(fmt::format("A column is {}. {}", time_in_words(drawing.column_ns()),
                                       legend_of(view, style)),
                           style));
  for (const TimelineRow& row : view.rows) lines.push_back(drawing.row(row));
  for (const std::string& sentence : timeline_in_words(timeline)) add_wrapped(lines, plain(sentence, style));
  return lines;
}

}  // namespace sim::lens
