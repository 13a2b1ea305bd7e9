#include "grader/present/ladder_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/course/rung_files.h"
#include "grader/present/detours.h"
#include "grader/present/figures.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

// Columns at a width of 80: mark and label, then these, right-aligned, then the bar.
constexpr std::size_t kTime = 10, kSpread = 7, kBelow = 10, kTotal = 9, kShare = 6, kBound = 10;
// With what a GPU recorded beside them, which are the last two.
constexpr std::size_t kCloseTime = 9, kCloseRatio = 8, kCloseBound = 8,
                      kRecordedColumns = kCloseTime + kCloseRatio;
constexpr int kRoomForRecorded = 80;
constexpr std::size_t kLeastBar = 6;

/// The rungs' names are the same everywhere; a rung the course does not know (a baseline) keeps its own.
const RungInfo* rung_of(const LessonInfo& lesson, const std::string& name) {
  const auto found = std::find_if(lesson.rungs.begin(), lesson.rungs.end(),
                                  [&](const RungInfo& rung) { return rung.name == name; });
  return found == lesson.rungs.end() ? nullptr : &*found;
}

/// The usual rule of thumb for the share of the bandwidth that a kernel bound by memory reaches.
constexpr double kAcceptable = 0.4, kGood = 0.6, kExcellent = 0.75;

const char* rating(double share) {
  return share >= kExcellent ? tr("excellent") : share >= kGood ? tr("good") : tr("acceptable");
}

/// What computes, where arithmetic and not the bytes sets the least time; else null.
const char* unit_of(const Timing& timing) {
  if (timing.roof == "fp32") return tr("single precision");
  if (timing.roof == "fp64") return tr("double precision");
  if (timing.roof == "warpgroup") return "wgmma";
  return timing.roof == "tensor" ? "wmma" : nullptr;
}

std::string short_bound(const std::string& bound) { return bound == "shared wavefronts" ? "shared" : bound; }

}  // namespace

std::string outcome_mark(Outcome outcome, const Terminal& terminal) {
  if (outcome == Outcome::passed) return terminal.paint(Tone::good, terminal.pick("✓", "+"));
  if (outcome == Outcome::idea_missing) return terminal.paint(Tone::warn, terminal.pick("◐", "%"));
  if (outcome == Outcome::not_run) return terminal.paint(Tone::warn, terminal.pick("–", "-"));
  return terminal.paint(Tone::bad, terminal.pick("✗", "x"));
}

std::string device_text(const RunDevice& device) {
  if (device.kind == "simulator") return tr("simulated {}, times modelled, not measured", device.name);
  return tr("{} (compute capability {})", device.name, device.compute_capability);
}

std::size_t LadderView::label_width() const {
  std::size_t width = 12;
  for (const RungInfo& rung : lesson_.rungs)
    width = std::max(width, display_width(spoken(rung)) + (rung.detour.empty() ? 3 : 5));
  return std::min<std::size_t>(width, modelled_ ? 17 : 21);
}

bool LadderView::shows_recorded() const {
  return recorded_ && modelled_ && timed_ && terminal_.width >= kRoomForRecorded;
}

std::size_t LadderView::bar_width() const {
  const bool close = shows_recorded();
  const std::size_t used = close ? 2 + 2 + label_width() + kCloseTime + 2 * kCloseRatio + 2 + kShare + 1 +
                                       kCloseBound + kRecordedColumns
                                 : 2 + 2 + label_width() + kTime + (modelled_ ? kBound + 1 : kSpread) +
                                       kBelow + kTotal + 2 + kShare;
  const std::size_t room = static_cast<std::size_t>(terminal_.width);
  if (close) return room >= used + kLeastBar ? std::min<std::size_t>(room - used, 20) : 0;
  return room > used + kLeastBar ? std::min<std::size_t>(room - used, 20) : kLeastBar;
}

namespace {

std::string at_size(const std::string& size) { return tr("at {}", size); }

}  // namespace

std::vector<std::string> LadderView::head(const RunDevice& device, bool timed) {
  modelled_ = device.modelled;
  timed_ = timed;
  said_size_ = device.time_size.empty() ? "" : at_size(device.time_size);
  std::vector<std::string> lines;
  const std::string size = timed && !device.time_size.empty() ? tr(", timed at {}", device.time_size) : "";
  lines.push_back(terminal_.paint(Tone::strong, fmt::format("{} {}", lesson_.id(), lesson_.title)) + size);
  lines.push_back(terminal_.paint(modelled_ ? Tone::warn : Tone::accent, device_text(device)));
  if (!timed) return lines;
  lines.emplace_back();
  for (std::string& line : column_heads()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> LadderView::head_of_size(const std::string& size, bool modelled) {
  modelled_ = modelled;
  said_size_ = size.empty() ? "" : at_size(size);
  std::vector<std::string> lines = {"",
                                    size.empty() ? tr("Timed at further sizes") : tr("Timed at {}", size)};
  for (std::string& line : column_heads()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> LadderView::column_heads() const {
  const std::string times = terminal_.pick("×", "x");
  const bool close = shows_recorded();
  std::string heads =
      "    " + pad_right(tr("rung"), label_width()) + pad_left(tr("time"), close ? kCloseTime : kTime);
  if (!modelled_) heads += pad_left(terminal_.pick("±", "+-"), kSpread);
  heads += pad_left(tr("{} below", times), close ? kCloseRatio : kBelow) +
           pad_left(tr("{} first", times), close ? kCloseRatio : kTotal) + "  " +
           pad_right(bar_width() > 0 ? tr("speed of light") : tr(" light"), bar_width() + kShare);
  if (modelled_) heads += " " + pad_right(tr("bound by"), close ? kCloseBound : 0);
  std::vector<std::string> lines;
  if (close) {
    lines.push_back(
        terminal_.paint(Tone::accent, pad_left(recorded_->label(), display_width(heads) + kRecordedColumns)));
    heads += pad_left(tr("time"), kCloseTime) + pad_left(tr("{} below", times), kCloseRatio);
  }
  while (heads.back() == ' ') heads.pop_back();
  lines.push_back(terminal_.paint(Tone::dim, heads));
  return lines;
}

std::string LadderView::recorded_figures(const Verdict& verdict) const {
  const RungInfo* rung = rung_of(lesson_, verdict.rung);
  const Timing* timing = shows_recorded() && rung != nullptr ? recorded_->of(*rung) : nullptr;
  if (timing == nullptr) return {};
  const std::optional<double> below = recorded_->times_below(lesson_, *rung);
  const bool noise = below && within_noise(*timing, *recorded_->of(*(rung - 1)));
  const std::string ratio =
      below ? (noise ? terminal_.pick("≈ ", "~ ") : "") + ratio_text(*below) + terminal_.pick("×", "x")
            : terminal_.pick("–", "-");
  return pad_left((timing->stable ? "" : "~") + time_text(timing->median_ms, terminal_), kCloseTime) +
         pad_left(ratio, kCloseRatio);
}

std::string LadderView::label(const Verdict& verdict, Tone tone) const {
  std::string name = verdict.rung, mark;
  if (const RungInfo* rung = rung_of(lesson_, name)) {
    name = fmt::format("{:>2} {}", rung->number, spoken(*rung));
    if (!rung->detour.empty()) mark = " " + detour_mark(terminal_);
  }
  name = shorten(name, label_width() - display_width(mark), terminal_.unicode) + mark;
  return terminal_.paint(tone, pad_right(name, label_width()));
}

std::string LadderView::figures(const Timing& timing, const std::string& recorded, const std::string& below,
                                const std::string& total) const {
  const bool close = shows_recorded();
  std::string text = pad_left((timing.stable ? "" : "~") + time_text(timing.median_ms, terminal_),
                              close ? kCloseTime : kTime);
  if (!modelled_) text += pad_left(spread(timing) >= 0 ? percent_text(spread(timing)) : "", kSpread);
  text +=
      pad_left(below, close ? kCloseRatio : kBelow) + pad_left(total, close ? kCloseRatio : kTotal) + "  ";
  if (timing.speed_of_light > 0) {
    if (bar_width() > 0)
      text += terminal_.paint(
          Tone::accent, pad_right(bar(timing.speed_of_light, bar_width(), terminal_.unicode), bar_width()));
    text += pad_left(percent_text(timing.speed_of_light), kShare);
  } else {
    text += std::string(bar_width() + kShare, ' ');
  }
  const std::size_t bound = close ? kCloseBound : kBound;
  if (modelled_) text += " " + shorten(bound_text(short_bound(timing.bound)), bound, terminal_.unicode);
  if (!recorded.empty()) {
    const std::size_t before = 4 + label_width();  // what the caller puts in front of this
    const std::size_t at =
        4 + label_width() + kCloseTime + 2 * kCloseRatio + 2 + bar_width() + kShare + 1 + bound;
    text = pad_right(text, at - before) + terminal_.paint(Tone::accent, recorded);
  }
  while (text.back() == ' ') text.pop_back();
  return text;
}

LadderView::Group& LadderView::group_of(const std::string& size) {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.size == size; });
  return found != groups_.end() ? *found : groups_.emplace_back(Group{size});
}

std::string LadderView::row(const Verdict& verdict) {
  if (const RungInfo* rung = rung_of(lesson_, verdict.rung)) shown_.push_back(rung);
  const std::string start = "  " + outcome_mark(verdict.outcome, terminal_) + " ";
  const bool without_idea = verdict.outcome == Outcome::idea_missing && verdict.timing && verdict.idea;
  if (verdict.outcome != Outcome::passed && !without_idea) {
    const std::size_t used = 4 + label_width() + 2;
    const std::string why = verdict.headline.empty() ? to_string(verdict.outcome) : verdict.headline;
    return start + label(verdict, Tone::strong) + "  " +
           shorten(why, static_cast<std::size_t>(terminal_.width) - used, terminal_.unicode);
  }
  if (!verdict.timing) {
    const std::string cases = verdict.cases_total > 0 ? tr("  {} cases", verdict.cases_passed) : "";
    return start + label(verdict, Tone::plain) + cases;
  }
  const Timing& timing = *verdict.timing;
  const RungInfo* const info = rung_of(lesson_, verdict.rung);
  // A blank page is another problem: its time is held against no rung's, of whatever size.
  const std::string size =
      (info != nullptr && info->is_blank_page() ? tr("another problem, ") : "") + at_size(timing.size);
  std::string size_line;
  if (size != said_size_) {
    size_line = "    " + terminal_.paint(Tone::dim, size) + "\n";
    said_size_ = size;
  }
  Group& group = group_of(size);
  std::string below = terminal_.pick("–", "-");
  if (group.last) {
    const bool noise = within_noise(timing, *group.last);
    used_noise_ = used_noise_ || noise;
    below = (noise ? terminal_.pick("≈ ", "~ ") : "") + ratio_text(group.last->median_ms / timing.median_ms) +
            terminal_.pick("×", "x");
  }
  if (!group.first) group.first = timing;
  const std::string total = ratio_text(group.first->median_ms / timing.median_ms) + terminal_.pick("×", "x");
  used_unstable_ = used_unstable_ || !timing.stable;
  group.last = timing;
  if (!group.best || timing.median_ms < group.best->median_ms) {
    group.best = timing;
    group.best_name = info != nullptr ? spoken(*info) : verdict.rung;
  }
  const std::string row = size_line + start + label(verdict, Tone::plain) +
                          figures(timing, recorded_figures(verdict), below, total);
  if (!without_idea) return row;
  const std::size_t room = static_cast<std::size_t>(terminal_.width) - 6;
  return row + "\n      " +
         terminal_.paint(Tone::warn,
                         shorten(tr("without its idea: {}", verdict.idea->says), room, terminal_.unicode));
}

std::string LadderView::open_row(const Verdict& verdict, const std::string& todos) {
  if (const RungInfo* rung = rung_of(lesson_, verdict.rung)) shown_.push_back(rung);
  const std::size_t room = static_cast<std::size_t>(terminal_.width) - label_width() - 6;
  return "  " + terminal_.paint(Tone::dim, terminal_.pick("·", ".")) + " " + label(verdict, Tone::dim) +
         "  " + terminal_.paint(Tone::dim, shorten(todos, room, terminal_.unicode));
}

std::string LadderView::baseline_row(const Verdict& verdict) {
  const std::string start = "  " + terminal_.pick("◆", "*") + " ";
  if (verdict.outcome != Outcome::passed || !verdict.timing) {
    const std::string why = verdict.headline.empty() ? to_string(verdict.outcome) : verdict.headline;
    return start + label(verdict, Tone::dim) + "  " +
           shorten(tr("not run: {}", why), static_cast<std::size_t>(terminal_.width) - label_width() - 6,
                   terminal_.unicode);
  }
  const Timing& timing = *verdict.timing;
  Group& group = group_of(at_size(timing.size));
  if (!group.best_baseline || timing.median_ms < group.best_baseline->median_ms) {
    group.best_baseline = timing;
    group.best_baseline_name = verdict.rung;
  }
  used_unstable_ = used_unstable_ || !timing.stable;
  const std::string total =
      group.first ? ratio_text(group.first->median_ms / timing.median_ms) + terminal_.pick("×", "x") : "";
  return start + label(verdict, Tone::accent) + figures(timing, "", tr("to beat"), total);
}

std::string LadderView::reference_row(double milliseconds) const {
  return "    " + terminal_.paint(Tone::dim, pad_right(tr("CPU reference"), label_width())) +
         pad_left(time_text(milliseconds, terminal_), kTime);
}

bool LadderView::is_rated(const Group& group) {
  return group.best && unit_of(*group.best) == nullptr && group.best->speed_of_light >= kAcceptable;
}

std::vector<std::string> LadderView::foot() const {
  std::vector<std::string> lines;
  const auto note = [&](const std::string& text) {
    lines.push_back("  " + terminal_.paint(Tone::dim, text));
  };
  append_detours(lines);
  if (shows_recorded()) append_recorded(lines);
  if (used_noise_) note(tr("{} within noise: the quartiles of the two overlap", terminal_.pick("≈", "~")));
  if (used_unstable_) note(tr("~ unstable: the median moved by more than 0.5 % between runs"));
  const bool rule_of_thumb = std::any_of(groups_.begin(), groups_.end(), is_rated);
  if (rule_of_thumb)
    note(tr("rule of thumb for bandwidth: {} is acceptable, {} good, {} excellent", percent_text(kAcceptable),
            percent_text(kGood), percent_text(kExcellent)));
  for (const Group& group : groups_) append_foot(group, lines);
  return lines;
}

void LadderView::append_detours(std::vector<std::string>& lines) const {
  for (const RungInfo* rung : shown_) append_detour(lines, lesson_, *rung, terminal_);
}

/// The two times of a row are of different sizes, and one of them of another file.
void LadderView::append_recorded(std::vector<std::string>& lines) const {
  std::set<std::string> sizes;
  for (const RungInfo* rung : shown_)
    if (const Timing* timing = recorded_->of(*rung)) sizes.insert(timing->size);
  const std::string at = sizes.size() == 1 ? at_size(*sizes.begin()) : tr("at its large sizes");
  if (!sizes.empty())
    add_wrapped(
        lines,
        tr("{}: the lesson's solutions, measured {}; nothing of it is modelled", recorded_->label(), at),
        "  ", terminal_, Tone::dim);
}

void LadderView::append_foot(const Group& group, std::vector<std::string>& lines) const {
  if (!group.best) return;
  if (const char* unit = unit_of(*group.best); unit != nullptr) {
    lines.push_back(tr("  {} reaches {} of what {} can do.", group.best_name,
                       percent_text(group.best->speed_of_light), unit));
  } else if (is_rated(group)) {
    lines.push_back(tr("  {} reaches {}: {}.", group.best_name, percent_text(group.best->speed_of_light),
                       rating(group.best->speed_of_light)));
  }
  if (!group.best_baseline) return;
  const double ratio = group.best_baseline->median_ms / group.best->median_ms;
  const std::string &best = group.best_name, &baseline = group.best_baseline_name;
  lines.push_back(
      within_noise(*group.best, *group.best_baseline) ? tr("  {} is level with {}.", best, baseline)
      : ratio > 1
          ? tr("  {} is {}{} as fast as {}.", best, ratio_text(ratio), terminal_.pick("×", "x"), baseline)
          : tr("  {} is at {} of the speed of {}.", best, percent_text(ratio), baseline));
}

std::optional<std::string> solution_sentence(const Modelled& modelled, const RungInfo& rung,
                                             const Timing& timing, const Terminal& terminal) {
  const Modelled::Time* solution = modelled.beside(rung, timing);
  if (solution == nullptr) return std::nullopt;
  const double ratio = timing.median_ms / solution->median_ms;
  const std::string yours = ratio >= 1.1   ? tr("yours takes {:.1f} times as long", ratio)
                            : ratio <= 0.9 ? tr("yours takes {:.2f} of that", ratio)
                                           : tr("yours is within 10 % of it");
  return tr("the solution: {} modelled; {}", time_text(solution->median_ms, terminal), yours);
}

std::optional<std::string> recorded_sentence(const Recorded& recorded, const LessonInfo& lesson,
                                             const RungInfo& rung, const Terminal& terminal) {
  const Timing* timing = recorded.of(rung);
  if (timing == nullptr) return std::nullopt;
  std::string text =
      tr("{}: {} at {}", recorded.label(), time_text(timing->median_ms, terminal), timing->size);
  if (const auto below = recorded.times_below(lesson, rung))
    text += within_noise(*timing, *recorded.of(*(&rung - 1)))
                ? tr(", level with the rung below")
                : tr(", {}{} as fast as the rung below", ratio_text(*below), terminal.pick("×", "x"));
  return text;
}

}  // namespace ladder::cli
