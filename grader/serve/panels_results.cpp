// What came of a check in words and figures: status, verdict, ladder, hints.
#include <algorithm>

#include "grader/actions/hint.h"
#include "grader/course/rung_files.h"
#include "grader/course/text/hints.h"
#include "grader/present/figures.h"
#include "grader/present/html/chart.h"
#include "grader/present/ladder_view.h"
#include "grader/present/map_view.h"
#include "grader/present/verdict_view.h"
#include "grader/records/measured.h"
#include "grader/records/modelled.h"
#include "grader/serve/panels.h"
#include "grader/serve/text/markdown.h"
#include "language/catalogue.h"
#include "simulator/lens/explain.h"
#include "simulator/report/wording/words.h"

namespace ladder::cli::serve {
namespace {

const Terminal kPlain;

std::string kind_of(Outcome outcome) {
  return outcome == Outcome::passed                                        ? "good"
         : outcome == Outcome::idea_missing || outcome == Outcome::not_run ? "warn"
                                                                           : "bad";
}

std::string outcome_words(const Verdict& verdict) {
  if (verdict.outcome == Outcome::passed) return tr("passed in {} cases", verdict.cases_passed);
  return verdict.headline.empty() ? to_string(verdict.outcome) : verdict.headline;
}

std::string findings(const View& view, const Verdict& verdict, bool current) {
  const sim::Finding* const first = leading_finding(verdict);
  std::string all;
  for (const sim::Finding& finding : verdict.findings) {
    if (&finding == first) continue;
    all += part("finding", {{"picture", drawn(finding, current)},
                            {"headline", sim::finding_headline(finding)},
                            {"detail", sim::finding_detail(finding)},
                            {"cure", sim::finding_cure(finding)},
                            {"place", finding.line > 0 ? place_button(view, finding.line) : ""}});
  }
  return all;
}

std::string time_and_counters(const View& view, const Verdict& verdict) {
  std::string all;
  if (verdict.timing) {
    all += paragraph(timing_sentence(*verdict.timing, kPlain), "time");
    if (verdict.timing->modelled) {
      if (const auto modelled = load_modelled(view.lesson))
        all += paragraph(solution_sentence(*modelled, view.rung, *verdict.timing, kPlain).value_or(""));
      if (const auto recorded = load_recorded(view.lesson))
        all += paragraph(recorded_sentence(*recorded, view.lesson, view.rung, kPlain).value_or(""));
    }
  }
  if (verdict.outcome == Outcome::passed)
    if (const auto why = sim::lens::explain(verdict.kernels)) all += paragraph(why->sentence + ".", "why");
  for (const std::string& line : counter_lines(verdict.kernels)) all += paragraph(line, "faint");
  return all;
}

std::string todos(const View& view, const std::vector<Todo>& open) {
  std::string items;
  for (const Todo& todo : open)
    items += part(
        "todo",
        {{"number", todo.number}, {"text", with_code(todo.text)}, {"place", place_button(view, todo.line)}});
  return items.empty() ? "" : part("todos", {{"sentence", todo_sentence(open)}, {"items", items}});
}

/// A rung's times as they are shown in the ladder: on a GPU where there are some.
std::optional<KeptResult> kept(const View& view, const RungInfo& rung) {
  for (const char* machine : {"gpu", "simulator"})
    if (auto result = kept_result(view.context.project().state(), view.lesson, rung, machine)) return result;
  return std::nullopt;
}

}  // namespace

std::string status_panel(const View& view) {
  if (!view.checking.empty())
    return part("status", {{"kind", "busy"}, {"text", tr("checking {}", view.checking)}});
  const Judged is = judged(view);
  if (!is.latest) return part("status", {{"kind", ""}, {"text", tr("not checked yet")}});
  const Outcome outcome = is.latest->verdict.outcome;
  return part("status",
              {{"kind", kind_of(outcome)},
               {"text", outcome_mark(outcome, kPlain) + " " +
                            (outcome == Outcome::passed         ? tr("passed")
                             : outcome == Outcome::idea_missing ? state_words(RungState::idea_missing)
                                                                : tr("not passed")) +
                            (is.current ? "" : tr(", changed since"))}});
}

std::string verdict_panel(const View& view) {
  std::string all = paragraph(view.trouble, "trouble");
  const Judged is = judged(view);
  if (!is.latest) {
    const std::vector<Todo> open = todos_left(view.lesson, view.rung);
    return all +
           part("words", {{"text", view.live ? tr("Save the rung, and the verdict comes here.")
                                             : tr("This rung was not checked yet.")}}) +
           todos(view, open);
  }
  const LatestResult& latest = *is.latest;
  const Verdict& verdict = latest.verdict;
  const bool tell_todos = verdict.outcome != Outcome::build_failed && verdict.outcome != Outcome::passed;
  if (tell_todos) all += todos(view, latest.open_todos);
  if (const sim::Finding* first = leading_finding(verdict); first != nullptr)
    all += drawn(*first, is.current);
  if (!verdict.detail.empty()) all += paragraph(verdict.detail, "detail");
  if (const sim::Finding* first = leading_finding(verdict); first != nullptr && first->line > 0)
    all += part("at", {{"place", place_button(view, first->line)}});
  all += paragraph(verdict.advice, "advice");
  all += time_and_counters(view, verdict);
  all += findings(view, verdict, is.current);
  std::string printed;
  for (const std::string& line : verdict.printed) printed += line + "\n";
  if (!printed.empty()) all += part("printed", {{"text", printed}});
  return part("verdict",
              {{"kind", kind_of(verdict.outcome)},
               {"mark", outcome_mark(verdict.outcome, kPlain)},
               {"headline", outcome_words(verdict)},
               {"stale", is.current ? "" : part("words", {{"text", tr("The file has changed since.")}})},
               {"contents", all},
               {"device", latest.device + (latest.modelled ? tr(", simulated; times are modelled") : "")},
               {"at", latest.at}});
}

std::string ladder_panel(const View& view) {
  const auto recorded = load_recorded(view.lesson);
  std::vector<ChartRow> chart;
  std::string rows;
  std::optional<Timing> first;
  bool modelled = false;
  for (const RungInfo& rung : view.lesson.rungs) {
    const auto has = kept(view, rung);
    const Timing* timing = has ? &*has->verdict.timing : nullptr;
    if (timing != nullptr && !first) first = *timing;
    const bool comparable =
        timing != nullptr && timing->size == first->size && timing->modelled == first->modelled;
    if (comparable) chart.push_back({fmt::format("{} {}", rung.number, spoken(rung)), *timing});
    modelled = modelled || (timing != nullptr && timing->modelled);
    const Timing* gpu = recorded ? recorded->of(rung) : nullptr;
    rows += part("rung", {{"number", rung.number},
                          {"name", spoken(rung)},
                          {"current", &rung == &view.rung ? " class=\"here\"" : ""},
                          {"time", timing != nullptr ? time_text(timing->median_ms, kPlain) : "–"},
                          {"ratio", comparable ? ratio_text(first->median_ms / timing->median_ms) + "×" : ""},
                          {"share", timing != nullptr && timing->speed_of_light > 0
                                        ? percent_text(timing->speed_of_light)
                                        : ""},
                          {"recorded", gpu != nullptr ? time_text(gpu->median_ms, kPlain) : ""}});
  }
  return part(
      "ladder",
      {{"heading", view.lesson.title + (modelled ? tr(", times modelled, not measured") : "")},
       {"chart",
        chart.size() > 1 ? ladder_chart(chart, tr("Times of the rungs of {}", view.lesson.title)) : ""},
       {"recorded", recorded ? tr("{}: the solutions, at the lesson's main size. ", recorded->label()) : ""},
       {"rows", rows},
       {"id", view.lesson.id()}});
}

std::string hints_panel(const View& view) {
  const MarkdownLinks no_links{[](const std::string&) { return ""; }, [](const std::string&) { return ""; }};
  const auto shown_of = [&](int todo) {
    return view.context.progress().hints_shown(view.lesson, view.rung, todo);
  };
  std::string items;
  for (const StagedHint& at : all_hints(view.rung)) {
    const bool shown = at.stage <= shown_of(at.hint->todo);
    if (view.live && !shown) continue;
    items += part("hint", {{"subject", at.hint->todo == 0 ? std::string(tr("The rung"))
                                                          : fmt::format("TODO({})", at.hint->todo)},
                           {"stage", at.stage},
                           {"count", at.count},
                           {"open", view.live ? " open" : ""},
                           {"text", html_of(at.hint->text, no_links)}});
  }
  if (view.rung.hints.empty())
    return part("words", {{"text", tr("This rung has no hints; its lesson's text may help.")}});
  const auto next = choose_hint(view.context, view.lesson, view.rung);
  const bool more = view.live && next && next->at.stage > shown_of(next->at.hint->todo);
  return items +
         (more ? part("next hint", {{"left", next->left + 1}})
               : part("words", {{"text", view.live ? tr("These are the hints for what is open now.") : ""}}));
}

}  // namespace ladder::cli::serve
