#include "grader/serve/page.h"

#include "grader/course/rung_files.h"
#include "grader/present/map_view.h"
#include "grader/serve/panels.h"
#include "grader/serve/screen.css.h"
#include "grader/serve/screen.html.h"
#include "grader/serve/screen.js.h"
#include "grader/serve/text/text.css.h"
#include "language/catalogue.h"
#include "simulator/lens/page.h"
#include "simulator/lens/svg.h"

namespace ladder::cli::serve {
namespace {

struct Panel {
  std::string_view name;
  const char* title;  ///< in English; empty: it is no tab
  std::string (*contents)(const View&);
};
/// In the order of their tabs.
constexpr Panel kPanels[] = {{"map", "", map_panel},
                             {"status", "", status_panel},
                             {"lesson", tr_noop("Lesson"), lesson_panel},
                             {"source", tr_noop("Source"), source_panel},
                             {"verdict", tr_noop("Verdict"), verdict_panel},
                             {"lens", tr_noop("Lens"), lens_panel},
                             {"timeline", tr_noop("Timeline"), timeline_panel},
                             {"ladder", tr_noop("Ladder"), ladder_panel},
                             {"hints", tr_noop("Hints"), hints_panel}};

std::string style() {
  return sim::lens::svg_colours() + std::string(embedded::text_css) + std::string(embedded::screen_css) +
         sim::lens::figures_style();
}

}  // namespace

std::string part(std::string_view id, sim::lens::HtmlTemplate::Values values) {
  static const sim::lens::HtmlTemplate parsed(embedded::screen_html);
  return parsed.part(id, values);
}

std::optional<std::string> panel(const View& view, std::string_view name) {
  for (const Panel& known : kPanels)
    if (known.name == name) return known.contents(view);
  if (name == "page.js") return std::string(embedded::screen_js);
  return std::nullopt;
}

std::string page(const View& view) {
  std::string tabs, panels;
  for (const Panel& p : kPanels) {
    if (*p.title == '\0') continue;
    const bool result = p.name != "lesson" && p.name != "source";
    tabs += part("tab", {{"name", p.name}, {"title", tr(p.title)}, {"kind", result ? "result" : "text"}});
    panels += part("panel", {{"name", p.name},
                             {"title", tr(p.title)},
                             {"kind", result ? "result" : "text"},
                             {"contents", p.contents(view)}});
  }
  return part("", {{"title", view.lesson.id(view.rung) + " " + spoken(view.rung)},
                   {"map", map_panel(view)},
                   {"status", status_panel(view)},
                   {"tabs", tabs},
                   {"panels", panels},
                   {"mode", view.live ? "live" : "file"},
                   {"style", style()},
                   {"script", view.live ? part("linked script", {})
                                        : part("script", {{"text", embedded::screen_js}})}});
}

}  // namespace ladder::cli::serve
