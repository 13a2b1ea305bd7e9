#include "grader/present/html/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "grader/present/figures.h"
#include "grader/present/html/chart.h"
#include "grader/present/html/report.css.h"
#include "grader/present/html/report.html.h"
#include "grader/present/ladder_view.h"
#include "grader/present/lens_view.h"
#include "grader/present/predictions_view.h"
#include "grader/present/roofline_view.h"
#include "grader/records/results.h"
#include "grader/records/times.h"
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

std::string progress_section(const Course& course, const Progress& progress) {
  std::string rows;
  std::size_t passed = 0, total = 0;
  for (const LessonInfo& lesson : course.lessons) {
    std::size_t here = 0;
    std::string marks;
    for (const RungInfo& rung : lesson.rungs) {
      const RungState state = state_of(progress, lesson, rung);
      here += state == RungState::passed;
      marks += mark(state);
    }
    passed += here;
    total += lesson.rungs.size();
    rows += report_part("lesson's progress", {{"id", lesson.id()},
                                              {"title", lesson.title},
                                              {"done", here == lesson.rungs.size() ? " done" : ""},
                                              {"passed", here},
                                              {"total", lesson.rungs.size()},
                                              {"marks", marks}});
  }
  return section("progress", "Progress",
                 report_part("progress", {{"passed", passed}, {"total", total}, {"rows", rows}}));
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
      "hunts", "Kernels mended",
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

std::string figures_row(const Climbed& at, double first_ms) {
  const RungOfReport& r = *at.rung;
  const Timing& t = *at.timing;
  return report_part("rung", {{"number", r.rung->number},
                              {"name", spoken(*r.rung)},
                              {"older", r.older ? report_part("older", {}) : ""},
                              {"time", time_text(t.median_ms, Terminal())},
                              {"spread", spread_text(t)},
                              {"ratio", ratio_text(first_ms / t.median_ms)},
                              {"share", t.speed_of_light > 0 ? percent_text(t.speed_of_light) : "–"},
                              {"bound", t.bound.empty() ? "–" : t.bound}});
}

std::string device_line(const KeptResult& kept) {
  return kept.modelled ? fmt::format("Simulated {}: times modelled, not measured", kept.device)
                       : fmt::format("Measured on {}", kept.device);
}

/// The ladder at one size: chart and figures.
std::string climb_of(const LadderOfReport& ladder, const std::vector<Climbed>& climb) {
  std::vector<ChartRow> rows;
  std::string table, description;
  const std::string size = climb.front().timing->size;
  for (const Climbed& at : climb) {
    rows.push_back({fmt::format("{} {}", at.rung->rung->number, spoken(*at.rung->rung)), *at.timing});
    table += figures_row(at, climb.front().timing->median_ms);
    description +=
        fmt::format("; {} {}", spoken(*at.rung->rung), time_text(at.timing->median_ms, Terminal()));
  }
  const KeptResult& last = climb.back().rung->kept;
  return report_part(
      "ladder", {{"chart", ladder_chart(rows, "Times of the rungs of " + ladder.lesson->title + description)},
                 {"device", device_line(last)},
                 {"size", size},
                 {"day", last.at.substr(0, 10)},
                 {"spread", last.modelled ? "The model has no spread." : "The whisker spans the quartiles."},
                 {"title", ladder.lesson->title},
                 {"rows", table}});
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

/// The accesses that a rung's warps spent most on, at most three.
std::string lens_pictures(const RungOfReport& r) {
  struct Shown {
    const sim::LineRecord* line;
    const sim::AccessRecord* access;
  };
  std::vector<Shown> all;
  const std::vector<sim::KernelRecord> kernels = longest_of_each(r.kept.verdict.kernels);
  for (const sim::KernelRecord& kernel : kernels)
    for (const sim::LineRecord& line : kernel.lines)
      for (const sim::AccessRecord& access : line.accesses)
        if (access.sample.mask != 0 && access.space != sim::MemorySpace::local)
          all.push_back({&line, &access});
  std::stable_sort(all.begin(), all.end(),
                   [](const Shown& a, const Shown& b) { return a.access->cost > b.access->cost; });
  std::string out;
  std::set<std::tuple<int, sim::MemorySpace, sim::AccessKind>>
      drawn;  // an unrolled loop has many accesses on one line
  for (const Shown& shown : all) {
    if (drawn.size() == 3) break;
    if (!drawn.emplace(shown.line->line, shown.access->space, shown.access->access).second) continue;
    const std::string words =
        fmt::format("line {}: {}; {}", shown.line->line, sim::lens::access_in_words(*shown.access),
                    sim::lens::pattern_in_words(*shown.access));
    out += report_part("access",
                       {{"picture", labelled(sim::lens::svg_of(*shown.access), words)}, {"words", words}});
  }
  return out;
}

std::string lens_section(const std::vector<LadderOfReport>& ladders) {
  std::string out;
  for (const LadderOfReport& ladder : ladders) {
    const RungOfReport& fastest = *std::min_element(
        ladder.rungs.begin(), ladder.rungs.end(), [](const RungOfReport& a, const RungOfReport& b) {
          return a.kept.verdict.timing->median_ms < b.kept.verdict.timing->median_ms;
        });
    if (const std::string pictures = lens_pictures(fastest); !pictures.empty())
      out += report_part("heading",
                         {{"id", ladder.lesson->id(*fastest.rung)}, {"title", spoken(*fastest.rung)}}) +
             pictures;
  }
  return out.empty() ? out : section("lens", "Under the lens", report_part("lens", {{"pictures", out}}));
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
  return rows.empty() ? ""
                      : section("predictions", "Predictions", report_part("predictions", {{"rows", rows}}));
}

std::string environment_section(const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string entries;
  for (const auto& [name, value] : environment)
    entries += report_part("entry", {{"name", name}, {"value", value}});
  return section("environment", "Environment", report_part("environment", {{"entries", entries}}));
}

}  // namespace

std::string report_page(const Project& project, const Course& course, const Progress& progress,
                        const HuntCounts& hunts,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  const auto link = [](std::string_view anchor, std::string_view heading) {
    return report_part("link", {{"anchor", anchor}, {"heading", heading}});
  };
  const std::string hunted = hunts_section(course, hunts);
  std::string ladders, links = link("progress", "Progress");
  if (!hunted.empty()) links += link("hunts", "Kernels mended");
  const std::string predicted = predictions_section(project, course, progress);
  if (!predicted.empty()) links += link("predictions", "Predictions");
  std::vector<LadderOfReport> simulated;
  for (const auto& [machine, heading, which] :
       {std::tuple("gpu", "Ladders, measured", Kept::measured),
        std::tuple("simulator", "Ladders, modelled", Kept::modelled)}) {
    std::vector<LadderOfReport> all;
    for (const LessonInfo& lesson : course.lessons)
      if (LadderOfReport ladder = collect(project, lesson, machine); !ladder.rungs.empty())
        all.push_back(std::move(ladder));
    if (all.empty()) continue;
    std::string content = roofline_section(project, course, which);
    for (const LadderOfReport& ladder : all) content += ladder_section(ladder);
    ladders += section(machine, heading, content);
    links += link(machine, heading);
    if (std::string_view(machine) == "simulator") simulated = std::move(all);
  }
  const std::string lens = lens_section(simulated);
  if (!lens.empty()) links += link("lens", "Under the lens");
  links += link("environment", "Environment");
  if (ladders.empty()) ladders = report_part("no ladders", {});
  return report_template().page({{"style", embedded::report_css},
                                 {"links", links},
                                 {"sections", progress_section(course, progress) + hunted + predicted +
                                                  ladders + lens + environment_section(environment)}});
}

}  // namespace ladder::cli
