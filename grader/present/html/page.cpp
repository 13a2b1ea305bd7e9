#include "grader/present/html/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "grader/present/figures.h"
#include "grader/present/html/report.css.h"
#include "grader/present/html/report.html.h"
#include "grader/present/ladder_view.h"
#include "grader/present/predictions_view.h"
#include "grader/present/roofline_view.h"
#include "grader/records/results.h"
#include "grader/records/times.h"
#include "language/catalogue.h"
#include "simulator/lens/html_template.h"
#include "simulator/lens/markup.h"
#include "simulator/lens/picture.h"
#include "simulator/lens/svg.h"
#include "simulator/lens/text.h"

namespace ladder::cli {
namespace {

using sim::lens::HtmlTemplate;

const HtmlTemplate& report_template() {
  static const HtmlTemplate parsed(embedded::report_html);
  return parsed;
}

std::string report_part(std::string_view id, HtmlTemplate::Values values) {
  return report_template().part(id, values);
}

/// An SVG element that says in words what it shows.
std::string labelled(std::string svg, const std::string& words) {
  return svg.insert(4, fmt::format(" aria-label=\"{}\"", sim::lens::escaped(words)));
}

struct RungOfReport {
  const RungInfo* rung = nullptr;
  KeptResult kept;
  bool older = false;  ///< of other contents than the file has now
};

/// One ladder: the rungs of a lesson that were timed on one kind of machine.
struct LadderOfReport {
  const LessonInfo* lesson = nullptr;
  std::vector<RungOfReport> rungs;
};

std::string mark(RungState state) {
  switch (state) {
    case RungState::passed:
      return "●";
    case RungState::changed:
      return "○";
    case RungState::idea_missing:
      return "◐";
    case RungState::failed:
      return "✗";
    case RungState::started:
      return "◌";
    case RungState::untouched:
      break;
  }
  return "·";
}

LadderOfReport collect(const Project& project, const LessonInfo& lesson, const std::string& machine) {
  LadderOfReport ladder{&lesson, {}};
  for (const RungInfo& rung : lesson.rungs) {
    std::optional<KeptResult> kept = kept_result(project.state(), lesson, rung, machine);
    if (!kept) continue;
    const auto file = lesson.student_file(rung);
    const bool older = !std::filesystem::exists(file) || sha256(read_file(file)) != kept->hash;
    ladder.rungs.push_back({&rung, std::move(*kept), older});
  }
  return ladder;
}

std::string section(std::string_view anchor, std::string_view heading, const std::string& content) {
  return report_part("section", {{"anchor", anchor}, {"heading", heading}, {"content", content}});
}

/// How far the student is: the rungs, counted, and the section that shows them.
struct ProgressOfReport {
  std::size_t passed = 0, total = 0;
  std::string section;
};

/// Lessons that were begun as a table, the others by name.
/// @param climbed  lessons that have a ladder, and so are not to be called untouched
ProgressOfReport progress_of(const Course& course, const Progress& progress,
                             const std::set<const LessonInfo*>& climbed) {
  ProgressOfReport all;
  std::string rows;
  std::vector<std::string> untouched;
  for (const LessonInfo& lesson : course.lessons) {
    std::size_t here = 0;
    bool begun = climbed.contains(&lesson);
    std::string marks;
    for (const RungInfo& rung : lesson.rungs) {
      const RungState state = state_of(progress, lesson, rung);
      here += state == RungState::passed;
      begun |= state != RungState::untouched;
      marks += mark(state);
    }
    all.passed += here;
    all.total += lesson.rungs.size();
    if (begun)
      rows += report_part("lesson's progress", {{"id", lesson.id()},
                                                {"title", lesson.title},
                                                {"done", here == lesson.rungs.size() ? " done" : ""},
                                                {"passed", here},
                                                {"total", lesson.rungs.size()},
                                                {"marks", marks}});
    else
      untouched.push_back(lesson.id() + " " + lesson.title);
  }
  const std::string rest =
      untouched.empty()
          ? ""
          : report_part("not begun", {{"lessons", fmt::format("{}", fmt::join(untouched, ", "))}});
  all.section = section("progress", tr("Progress"),
                        (rows.empty() ? "" : report_part("progress", {{"rows", rows}})) + rest);
  return all;
}

std::string hunts_section(const Course& course, const HuntCounts& hunts) {
  std::string rows;
  const HuntCount sum = sum_of(hunts);
  if (sum.found == 0) return {};  // nothing to report yet
  for (const LessonInfo& lesson : course.lessons) {
    const auto found = hunts.find(&lesson);
    if (found == hunts.end()) continue;
    const HuntCount& count = found->second;
    rows += report_part("lesson's hunts", {{"id", lesson.id()},
                                           {"title", lesson.title},
                                           {"found", count.found},
                                           {"mended", count.mended},
                                           {"all", count.all}});
  }
  return section(
      "hunts", tr("Kernels mended"),
      report_part("hunts", {{"found", sum.found}, {"mended", sum.mended}, {"all", sum.all}, {"rows", rows}}));
}

/// A rung's time at one size.
struct Climbed {
  const RungOfReport* rung;
  const Timing* timing;
};

std::string spread_text(const Timing& timing) {
  const double scatter = spread(timing);
  if (timing.modelled || scatter < 0) return "–";
  const std::string percent = percent_text(scatter);
  return percent.starts_with('<') ? percent : "±" + percent;
}

/// @param measured  whether some of the ladder's times are: a model's have no spread
std::string figures_row(const Climbed& at, double first_ms, double longest_ms, bool measured) {
  const RungOfReport& r = *at.rung;
  const Timing& t = *at.timing;
  return report_part("rung", {{"number", r.rung->number},
                              {"name", spoken(*r.rung)},
                              {"older", r.older ? report_part("older", {}) : ""},
                              {"time", time_text(t.median_ms, Terminal())},
                              {"spread", measured ? report_part("spread", {{"text", spread_text(t)}}) : ""},
                              {"percent", fmt::format("{:.2f}", 100 * t.median_ms / longest_ms)},
                              {"ratio", ratio_text(first_ms / t.median_ms)},
                              {"share", t.speed_of_light > 0 ? percent_text(t.speed_of_light) : "–"},
                              {"bound", t.bound.empty() ? "–" : tr(t.bound.c_str())}});
}

std::string device_line(const KeptResult& kept) {
  return kept.modelled ? tr("Simulated {}: times modelled, not measured", kept.device)
                       : tr("Measured on {}", kept.device);
}

/// The ladder at one size: figures, and times as bars.
std::string climb_of(const LadderOfReport& ladder, const std::vector<Climbed>& climb) {
  double longest = 0;
  bool measured = false;
  for (const Climbed& at : climb) {
    longest = std::max(longest, at.timing->median_ms);
    measured = measured || !at.timing->modelled;
  }
  std::string rows;
  for (const Climbed& at : climb) rows += figures_row(at, climb.front().timing->median_ms, longest, measured);
  const KeptResult& last = climb.back().rung->kept;
  return report_part("ladder", {{"device", device_line(last)},
                                {"size", climb.front().timing->size},
                                {"day", last.at.substr(0, 10)},
                                {"title", ladder.lesson->title},
                                {"spread", measured ? report_part("spread of all", {}) : ""},
                                {"rows", rows}});
}

std::string ladder_section(const LadderOfReport& ladder) {
  std::vector<std::vector<Climbed>> climbs;  // one for each size, in the order of their appearance
  const auto add = [&](const RungOfReport& rung, const Timing& timing) {
    const auto same = std::find_if(climbs.begin(), climbs.end(), [&](const std::vector<Climbed>& climb) {
      return climb.front().timing->size == timing.size;
    });
    (same != climbs.end() ? *same : climbs.emplace_back()).push_back({&rung, &timing});
  };
  for (const RungOfReport& rung : ladder.rungs) add(rung, *rung.kept.verdict.timing);
  for (const RungOfReport& rung : ladder.rungs)
    for (const Timing& timing : rung.kept.verdict.more_timings) add(rung, timing);
  std::string out = report_part("heading", {{"id", ladder.lesson->id()}, {"title", ladder.lesson->title}});
  for (const std::vector<Climbed>& climb : climbs) out += climb_of(ladder, climb);
  return out;
}

/// The picture for those who do not see it: the roofs, and where the fastest rung of each lesson stands.
std::string in_words(const Roofline& roofline) {
  std::string words =
      fmt::format("Roofline of {}; memory {:.2f} TB/s", roofline.device, roofline.gigabytes_per_s / 1e3);
  for (const Roof& roof : roofline.roofs)
    words += fmt::format("; {} {:.1f} TFLOP/s", roof.name, roof.gigaflops_per_s / 1e3);
  for (const RooflinePoint& point : roofline.points) {
    if (!point.best) continue;
    words += fmt::format("; {}: ", point.name);
    words +=
        point.gigaflops_per_s > 0
            ? fmt::format("{:.3g} TFLOP/s at {:.3g} flop/B", point.gigaflops_per_s / 1e3, point.intensity())
            : percent_text(point.gigabytes_per_s / roofline.gigabytes_per_s) + " of memory";
  }
  return words;
}

/// The same picture as that of `ladder roofline`, of the rungs that were timed on one kind of machine.
std::string roofline_section(const Project& project, const Course& course, Kept which) {
  const std::optional<Roofline> roofline = kept_roofline(project.state(), course, Side::student, which);
  if (!roofline) return {};
  std::string svg = roofline_svg(*roofline);
  const std::string xmlns = " xmlns=\"http://www.w3.org/2000/svg\"";
  if (const std::size_t at = svg.find(xmlns); at != std::string::npos)
    svg.erase(at, xmlns.size());  // inline needs none
  return report_part("roofline", {{"picture", labelled(std::move(svg), in_words(*roofline))}});
}

/// What a rung's warps asked of a memory by one kind of access, at the line where a request costs most.
struct Worst {
  const sim::LineRecord* line = nullptr;
  const sim::AccessRecord* access = nullptr;
  double cost() const {
    return static_cast<double>(access->cost) /
           static_cast<double>(std::max<std::uint64_t>(1, access->requests));
  }
};
using Kind = std::pair<sim::MemorySpace, sim::AccessKind>;

using WorstOfKinds = std::map<Kind, Worst>;

WorstOfKinds worst_of(const RungOfReport& r) {
  WorstOfKinds worst;
  for (const sim::KernelRecord& kernel : r.kept.verdict.kernels)
    for (const sim::LineRecord& line : kernel.lines)
      for (const sim::AccessRecord& access : line.accesses) {
        if (access.sample.mask == 0 || access.space == sim::MemorySpace::local) continue;
        const Worst own{&line, &access};
        Worst& so_far = worst[{access.space, access.access}];
        if (so_far.access == nullptr || own.cost() > so_far.cost()) so_far = own;
      }
  return worst;
}

std::string access_figure(const char* when, const RungOfReport& r, const Worst& shown) {
  const std::string words =
      tr("{}, rung {}, line {}: {}; {}", when, r.rung->number, shown.line->line,
         sim::lens::access_in_words(*shown.access), sim::lens::pattern_in_words(*shown.access));
  return report_part("access",
                     {{"picture", labelled(sim::lens::svg_of(*shown.access), words)}, {"words", words}});
}

/// What an idea changed: the kind of access whose requests became cheapest from one rung to the next; nothing
/// where none became cheaper by half.
std::string before_and_after(const LessonInfo& lesson, const RungOfReport& below, const WorstOfKinds& before,
                             const RungOfReport& above, const WorstOfKinds& after) {
  constexpr double kMuch = 1.5;
  const Kind* best = nullptr;
  double most = kMuch;
  for (const auto& [kind, worst] : before) {
    const auto now = after.find(kind);
    if (now == after.end() || worst.cost() < most * now->second.cost()) continue;
    most = worst.cost() / now->second.cost();
    best = &kind;
  }
  if (best == nullptr) return {};
  return report_part("heading", {{"id", lesson.id(*above.rung)}, {"title", spoken(*above.rung)}}) +
         access_figure(tr("before"), below, before.at(*best)) +
         access_figure(tr("after"), above, after.at(*best));
}

std::string lens_section(const std::vector<LadderOfReport>& ladders) {
  std::string out;
  for (const LadderOfReport& ladder : ladders) {
    WorstOfKinds before;
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
      WorstOfKinds after = worst_of(ladder.rungs[i]);
      if (i > 0) out += before_and_after(*ladder.lesson, ladder.rungs[i - 1], before, ladder.rungs[i], after);
      before = std::move(after);
    }
  }
  return out.empty()
             ? out
             : section("lens", tr("What the ideas changed"), report_part("lens", {{"pictures", out}}));
}

std::string predictions_section(const Project& project, const Course& course, const Progress& progress) {
  std::string rows;
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs)
      for (const Prediction& prediction : predictions_of(project.state(), progress, lesson, rung))
        if (prediction.said)
          rows += report_part("prediction", {{"id", lesson.id(rung)},
                                             {"name", spoken(rung)},
                                             {"ask", question_text(*prediction.question)},
                                             {"text", prediction_text(prediction)}});
  return rows.empty()
             ? ""
             : section("predictions", tr("Predictions"), report_part("predictions", {{"rows", rows}}));
}

std::string environment_section(const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string entries;
  for (const auto& [name, value] : environment)
    entries += report_part("entry", {{"name", name}, {"value", value}});
  return section("environment", tr("Environment"), report_part("environment", {{"entries", entries}}));
}

}  // namespace

std::string report_page(const Project& project, const Course& course, const Progress& progress,
                        const HuntCounts& hunts, const std::string& who, const std::string& day,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string sections, links;
  const auto add = [&](std::string_view anchor, std::string_view heading, const std::string& content) {
    if (content.empty()) return;
    sections += content;
    links += report_part("link", {{"anchor", anchor}, {"heading", heading}});
  };
  std::vector<LadderOfReport> simulated;
  std::set<const LessonInfo*> climbed;
  std::string rooflines;
  for (const auto& [machine, heading, which] :
       {std::tuple("gpu", tr("Ladders, measured"), Kept::measured),
        std::tuple("simulator", tr("Ladders, modelled"), Kept::modelled)}) {
    std::vector<LadderOfReport> all;
    for (const LessonInfo& lesson : course.lessons)
      if (LadderOfReport ladder = collect(project, lesson, machine); !ladder.rungs.empty())
        all.push_back(std::move(ladder));
    if (all.empty()) continue;
    std::string content;
    for (const LadderOfReport& ladder : all) {
      content += ladder_section(ladder);
      climbed.insert(ladder.lesson);
    }
    add(machine, heading, section(machine, heading, content));
    rooflines += roofline_section(project, course, which);
    if (std::string_view(machine) == "simulator") simulated = std::move(all);
  }
  if (sections.empty()) sections = report_part("no ladders", {});
  add("lens", tr("What the ideas changed"), lens_section(simulated));
  if (!rooflines.empty()) add("roofline", tr("Roofline"), section("roofline", tr("Roofline"), rooflines));
  add("predictions", tr("Predictions"), predictions_section(project, course, progress));
  add("hunts", tr("Kernels mended"), hunts_section(course, hunts));
  const ProgressOfReport far = progress_of(course, progress, climbed);
  add("progress", tr("Progress"), far.section);
  add("environment", tr("Environment"), environment_section(environment));
  return report_template().page({{"style", embedded::report_css},
                                 {"who", who.empty() ? day : who + ", " + day},
                                 {"passed", tr("{} of {} rungs passed.", far.passed, far.total)},
                                 {"links", links},
                                 {"sections", sections}});
}

}  // namespace ladder::cli
