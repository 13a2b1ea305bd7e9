// What is read: the map, the lesson, the rung's source.
#include <algorithm>
#include <map>
#include <set>

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "grader/present/figures.h"
#include "grader/present/map_view.h"
#include "grader/present/predictions_view.h"
#include "grader/serve/panels.h"
#include "grader/serve/text/highlight.h"
#include "grader/serve/text/markdown.h"
#include "grader/serve/text/pictures.h"
#include "language/catalogue.h"
#include "simulator/lens/picture.h"
#include "simulator/report/wording/words.h"

namespace ladder::cli::serve {
namespace fs = std::filesystem;
namespace {

/// What stands beside and below a line of the source.
struct Margin {
  double share = 0;  ///< of the modelled time
  bool todo = false;
  std::vector<const sim::Finding*> findings;
  bool other = false;  ///< the other party of a finding
  bool idea = false;   ///< the idea's condition is about this line
};

bool is_same_file(const std::string& a, const fs::path& b) { return fs::path(a).filename() == b.filename(); }

std::map<int, Margin> margins(const View& view, const Judged& is, const std::string& text) {
  const fs::path file = view.lesson.student_file(view.rung);
  std::map<int, Margin> lines;
  for (const Todo& todo : open_todos(skeleton_if_there(view.lesson, view.rung).value_or(""), text))
    lines[todo.line].todo = true;
  if (!is.current) return lines;
  const Verdict& verdict = is.latest->verdict;
  for (const sim::Finding& finding : verdict.findings)
    if (finding.line > 0 && is_same_file(finding.file, file))
      lines[finding.line].findings.push_back(&finding);
  for (const sim::Finding& finding : verdict.findings)
    if (finding.other && finding.other->line > 0 && is_same_file(finding.other->file, file))
      lines[finding.other->line].other = true;
  if (verdict.idea && !verdict.idea->works && verdict.idea->line > 0 &&
      is_same_file(verdict.idea->file, file))
    lines[verdict.idea->line].idea = true;
  double all = 0;
  for (const sim::KernelRecord& kernel : verdict.kernels) all += kernel.modelled_ns;
  for (const sim::KernelRecord& kernel : verdict.kernels) {
    const std::vector<double> shares = sim::lens::shares(kernel);
    for (std::size_t i = 0; i < kernel.lines.size(); ++i)
      if (all > 0 && is_same_file(kernel.lines[i].file, file))
        lines[kernel.lines[i].line].share += shares[i] * kernel.modelled_ns / all;
  }
  return lines;
}

std::string source_line(int number, const std::string& code, const Margin& margin, const Judged& is) {
  std::string notes;
  for (const sim::Finding* finding : margin.findings)
    notes += part("source note", {{"kind", "bad"}, {"text", sim::sentence(*finding)}});
  if (margin.idea) notes += part("source note", {{"kind", "warn"}, {"text", is.latest->verdict.headline}});
  const bool marked = margin.todo || margin.other || !notes.empty();
  const char* mark = !margin.findings.empty() ? "✗"
                     : margin.other           ? "⇄"
                     : margin.idea            ? "◐"
                     : margin.todo            ? "TODO"
                                              : "";
  return part("source line", {{"number", number},
                              {"kind", !margin.findings.empty() || margin.other ? "bad"
                                       : margin.idea                            ? "warn"
                                       : margin.todo                            ? "todo"
                                                                                : ""},
                              {"mark", mark},
                              {"tabindex", marked ? 0 : -1},
                              {"percent", fmt::format("{:.0f}", 100 * margin.share)},
                              {"share", margin.share >= 0.005 ? percent_text(margin.share) : ""},
                              {"code", code}}) +
         notes;
}

/// The boxes of one rung's questions, or of all rungs'.
std::string prediction_boxes(const View& view, int number) {
  std::string boxes;
  for (const RungInfo& rung : view.lesson.rungs) {
    if (number != 0 && rung.number != number) continue;
    std::size_t at = 0;
    for (const Prediction& prediction :
         predictions_of(view.context.project().state(), view.context.progress(), view.lesson, rung)) {
      const std::string text = prediction_text(prediction);
      // What was found is known from then on: the number stays as it was said.
      const bool open = view.live && !prediction.answered();
      boxes +=
          part("prediction",
               {{"rung", tr("Rung {}: ", rung.number)},
                {"ask", question_text(*prediction.question)},
                {"box", open ? part("box", {{"id", view.lesson.id(rung)},
                                            {"at", at},
                                            {"ask", question_text(*prediction.question)},
                                            {"said", prediction.said ? number_text(*prediction.said) : ""}})
                             : ""},
                {"text", text.empty() && !view.live ? "…" : text}});
      ++at;
    }
  }
  return boxes.empty() ? "" : part("predictions", {{"boxes", boxes}});
}

}  // namespace

Judged judged(const View& view) {
  Judged is{latest_result(view.context.project().state(), view.lesson, view.rung), false};
  const fs::path file = view.lesson.student_file(view.rung);
  is.current = is.latest && fs::exists(file) && sha256(read_file(file)) == is.latest->hash;
  return is;
}

std::string place_button(const View& view, int line) {
  return part(view.live ? "place button" : "place", {{"line", line}});
}

std::string map_panel(const View& view) {
  const Terminal plain;
  const std::string disabled = view.live ? "" : " disabled";
  std::string lessons;
  for (const LessonInfo& lesson : view.context.course().lessons) {
    const bool here = &lesson == &view.lesson;
    const RungInfo* next = nullptr;  // where the lesson goes on
    std::string dots;
    std::size_t passed = 0;
    for (const RungInfo& rung : lesson.rungs) {
      const RungState state = state_of(view.context.progress(), lesson, rung);
      passed += state == RungState::passed;
      if (next == nullptr && state != RungState::passed) next = &rung;
      dots += here ? part("dot", {{"id", lesson.id(rung)},
                                  {"name", spoken(rung)},
                                  {"state", state_words(state)},
                                  {"kind", to_string(state)},
                                  {"current", &rung == &view.rung ? " aria-current=\"true\"" : ""},
                                  {"disabled", disabled},
                                  {"mark", state_mark(state, plain)}})
                   : part("mark", {{"kind", to_string(state)}, {"mark", state_mark(state, plain)}});
    }
    lessons +=
        here ? part("lesson here", {{"id", lesson.id()}, {"title", lesson.title}, {"dots", dots}})
             : part("lesson of map", {{"id", lesson.id()},
                                      {"next", lesson.id(next != nullptr ? *next : lesson.rungs.front())},
                                      {"title", lesson.title},
                                      {"passed", passed},
                                      {"rungs", lesson.rungs.size()},
                                      {"disabled", disabled},
                                      {"dots", dots}});
  }
  // A lesson that cannot be read has no dots: what is wrong stands in their place.
  for (CourseProblem problem : view.context.course().problems) {
    problem.file = view.context.shown(problem.file);
    lessons += part("unread lesson", {{"text", with_code(tr("left out: {}", problem.text()))}});
  }
  return lessons;
}

std::string lesson_panel(const View& view) {
  const fs::path readme = view.lesson.readme;
  if (!fs::exists(readme)) return part("words", {{"text", tr("This lesson has no text.")}});
  MarkdownLinks links;
  links.picture = [&](const std::string& address) { return picture_address(view, address); };
  links.link = [](const std::string& address) {
    return address.starts_with("https://") || address.starts_with("#") ? address : std::string();
  };
  std::set<int> placed;
  links.predictions = [&](int rung) {
    placed.insert(rung);
    return prediction_boxes(view, rung);
  };
  std::string html = html_of(read_file(readme), links);
  for (const RungInfo& rung : view.lesson.rungs)  // what the text asks for elsewhere
    if (!placed.contains(0) && !placed.contains(rung.number)) html += prediction_boxes(view, rung.number);
  std::string language = view.lesson.language;
  std::replace(language.begin(), language.end(), '_', '-');                // as HTML names it: "zh-CN"
  if (language.empty() && std::string(tr("en")) != "en") language = "en";  // within a page in another
  return language.empty() ? html : part("translated", {{"language", language}, {"text", html}});
}

std::string source_panel(const View& view) {
  const fs::path file = view.lesson.student_file(view.rung);
  if (!fs::exists(file))
    return part("words", {{"text", tr("{} is missing; ./ladder reset {} makes it anew.",
                                      file.filename().string(), view.lesson.id(view.rung))}});
  const std::string text = read_file(file);
  const Judged is = judged(view);
  const std::map<int, Margin> marked = margins(view, is, text);
  std::string lines;
  int number = 0;
  for (const std::string& code : highlighted(text)) {
    const auto margin = marked.find(++number);
    lines += source_line(number, code, margin == marked.end() ? Margin{} : margin->second, is);
  }
  const bool stale = is.latest && !is.current;
  return part(
      "source",
      {{"file", view.context.shown(file)},
       {"summary", with_code(view.rung.summary)},
       {"open", view.live ? part("open button", {}) : ""},
       {"stale", stale ? part("words", {{"text", tr("Changed since the last verdict: findings and times "
                                                    "come back with the next one.")}})
                       : ""},
       {"lines", lines}});
}

}  // namespace ladder::cli::serve
