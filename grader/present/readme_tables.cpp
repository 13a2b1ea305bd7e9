#include "grader/present/readme_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/present/figures.h"
#include "grader/present/ladder_view.h"

namespace ladder::cli {
namespace {

/// Below this share of the bandwidth a kernel waits for something else, and the share says nothing about it.
constexpr double kBoundByMemory = 0.05;

/// The sizes beyond the main one that rungs were timed at.
std::vector<std::string> further_sizes(const Measured& measured) {
  std::vector<std::string> sizes;
  for (const Verdict& verdict : measured.rungs)
    for (const Timing& timing : verdict.more_timings)
      if (std::find(sizes.begin(), sizes.end(), timing.size) == sizes.end()) sizes.push_back(timing.size);
  return sizes;
}

/// The verdicts as if timed at that further size; those that were not are left out.
std::vector<Verdict> at_size(const std::vector<Verdict>& verdicts, const std::string& size) {
  std::vector<Verdict> there;
  for (Verdict verdict : verdicts)
    for (const Timing& timing : verdict.more_timings)
      if (timing.size == size) {
        verdict.timing = timing;
        there.push_back(verdict);
      }
  return there;
}

void append(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += line + "\n";
}

void append_rows(std::string& text, LadderView& view, const std::vector<Verdict>& rungs,
                 const std::vector<Verdict>& baselines) {
  for (const Verdict& verdict : rungs) text += view.row(verdict) + "\n";
  for (const Verdict& verdict : baselines) text += view.baseline_row(verdict) + "\n";
  append(text, view.foot());
}

/// From the first rung to the fastest, and the fastest
/// against the fastest baseline, of those that did the same.
struct Climb {
  const Timing* first = nullptr;
  const Timing* top = nullptr;
  const Timing* baseline = nullptr;
  std::string baseline_name;
  int rungs = 0;
};

/// One climb for each size that a lesson's rungs were timed at; mostly one.
std::vector<Climb> climbs_of(const Measured& measured) {
  std::vector<Climb> climbs;
  const auto climb_at = [&](const std::string& size) {
    return std::find_if(climbs.begin(), climbs.end(), [&](const Climb& c) { return c.first->size == size; });
  };
  for (const Verdict& verdict : measured.rungs) {
    if (!verdict.timing) continue;
    const Timing& timing = *verdict.timing;
    if (const auto found = climb_at(timing.size); found == climbs.end())
      climbs.push_back({&timing, &timing, nullptr, "", 1});
    else if (++found->rungs; timing.median_ms < found->top->median_ms)
      found->top = &timing;
  }
  for (const Verdict& verdict : measured.baselines) {
    if (!verdict.timing) continue;
    const auto found = climb_at(verdict.timing->size);
    if (found == climbs.end()) continue;
    if (found->baseline != nullptr && found->baseline->median_ms <= verdict.timing->median_ms) continue;
    found->baseline = &*verdict.timing;
    found->baseline_name = verdict.rung;
  }
  return climbs;
}

/// The fastest rung's speed as a multiple of the baseline's,
/// unless the spread of the two hides which is faster.
std::string against_baseline(const Climb& climb) {
  if (within_noise(*climb.top, *climb.baseline)) return "level with " + climb.baseline_name;
  return fmt::format("{}× {}", ratio_text(climb.baseline->median_ms / climb.top->median_ms),
                     climb.baseline_name);
}

void append_item(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

}  // namespace

std::string ladders_of(const Measured& measured, const LessonInfo& lesson) {
  const Terminal plain;
  std::string text;
  LadderView main(lesson, plain);
  append(text, main.head(measured.device, true));
  if (measured.reference_ms) text += main.reference_row(*measured.reference_ms) + "\n";
  append_rows(text, main, measured.rungs, measured.baselines);
  for (const std::string& size : further_sizes(measured)) {
    LadderView view(lesson, plain);
    append(text, view.head_of_size(size, false));
    append_rows(text, view, at_size(measured.rungs, size), at_size(measured.baselines, size));
  }
  return text;
}

std::string map_table(const Course& course, const std::string& link) {
  std::string text =
      "| | lesson | what it teaches | rungs | from bottom to top | speed of light | against the library |\n"
      "|---|---|---|---|---|---|---|\n";
  std::string part;
  for (const LessonInfo& lesson : course.lessons) {
    if (lesson.part != part) text += fmt::format("| | **{}** | | | | | |\n", part = lesson.part);
    std::string total, share, library;
    if (const std::optional<Measured> measured = load_measured(lesson)) {
      for (const Climb& climb : climbs_of(*measured)) {
        if (climb.rungs == 1) continue;  // nothing was climbed
        append_item(total, ratio_text(climb.first->median_ms / climb.top->median_ms) + "×");
        if (climb.top->speed_of_light > kBoundByMemory)
          append_item(share, percent_text(climb.top->speed_of_light));
        if (climb.baseline != nullptr) append_item(library, against_baseline(climb));
      }
    }
    text += fmt::format("| {} | [{}]({}{}/README.md) | {} | {} | {} | {} | {} |\n", lesson.id(), lesson.title,
                        link, lesson.name, lesson.summary, lesson.rungs.size(), total, share, library);
  }
  return text;
}

std::optional<std::string> between_marks(const std::string& text, const std::string& name,
                                         const std::string& content) {
  const std::size_t begin = text.find("<!-- " + name + ": begin");
  const std::size_t from = begin == std::string::npos ? begin : text.find("-->\n", begin);
  const std::size_t to = from == std::string::npos ? from : text.find("<!-- " + name + ": end -->", from);
  if (to == std::string::npos) return std::nullopt;
  return text.substr(0, from + 4) + content + text.substr(to);
}

}  // namespace ladder::cli
