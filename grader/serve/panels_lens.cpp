// What came of a check in pictures: the lens, the timeline, findings.
#include "grader/present/lens_view.h"
#include "grader/serve/panels.h"
#include "language/catalogue.h"
#include "simulator/lens/finding/picture.h"
#include "simulator/lens/markup.h"
#include "simulator/lens/page.h"
#include "simulator/lens/picture.h"
#include "simulator/lens/svg.h"
#include "simulator/lens/timeline/timeline.h"
#include "simulator/report/wording/words.h"

namespace ladder::cli::serve {

std::string paragraph(const std::string& text, std::string_view kind) {
  return text.empty() ? "" : part(kind, {{"text", text}});
}

std::string with_code(const std::string& text) {
  std::string html;
  std::size_t from = 0;
  for (std::size_t open, close;
       (open = text.find('`', from)) != text.npos && (close = text.find('`', open + 1)) != text.npos;
       from = close + 1)
    html += sim::lens::escaped(text.substr(from, open - from)) + "<code>" +
            sim::lens::escaped(text.substr(open + 1, close - open - 1)) + "</code>";
  return html + sim::lens::escaped(text.substr(from));
}

std::string drawn(const sim::Finding& finding, bool current) {
  // A line of a file that was changed since may be another.
  const std::string picture =
      sim::lens::svg_of(finding, current ? sim::lens::read_sources({finding}) : sim::lens::Sources());
  return picture.empty() ? "" : part("picture", {{"picture", picture}});
}

std::string lens_panel(const View& view) {
  const Judged is = judged(view);
  std::vector<sim::KernelRecord> kernels;
  std::string whose;
  if (is.latest) kernels = longest_of_each(is.latest->verdict.kernels);
  if (kernels.empty()) {
    if (const auto passed =
            kept_result(view.context.project().state(), view.lesson, view.rung, "simulator")) {
      kernels = longest_of_each(passed->verdict.kernels);
      whose = part("words",
                   {{"text", tr("Of your last version that was right; its line numbers may have moved.")}});
    }
  }
  std::string launches;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    launches += part(
        "launch", {{"name", sim::readable_name(kernels[i].name)},
                   {"time", sim::lens::time_in_words(kernels[i].modelled_ns)},
                   {"bound", kernels[i].bound.empty() ? "" : tr(kernels[i].bound.c_str())},
                   {"figures", sim::lens::figures_of(kernels[i], sim::lens::read_sources({kernels[i]}), i)}});
  if (launches.empty())
    return part(
        "words",
        {{"text", tr("There is something to look at once the rung is right: the lens shows which sectors and "
                     "banks each line's warps ask for.")}});
  return part("lens", {{"whose", whose}, {"launches", launches}});
}

std::string what_if(int step, int bytes) {
  sim::AccessRecord access;
  access.space = sim::MemorySpace::shared;
  access.bytes = static_cast<std::uint32_t>(bytes);
  access.requests = 1;
  access.sample.mask = 0xffffffffU;
  for (std::size_t lane = 0; lane < access.sample.offset.size(); ++lane)
    access.sample.offset[lane] = static_cast<std::int64_t>(lane) * step;
  const sim::lens::Picture picture = sim::lens::picture_of(access);
  const std::string waste = sim::lens::waste_in_words(picture);
  return part(
      "what if",
      {{"step", step / 4},
       {"picture", sim::lens::svg_of(access)},
       {"words", waste.empty() ? tr("No bank has to serve two words: as few passes as can be.") : waste}});
}

std::string timeline_panel(const View& view) {
  const Judged is = judged(view);
  std::string launches;
  if (is.latest)
    for (const sim::KernelRecord& kernel : longest_of_each(is.latest->verdict.kernels)) {
      const sim::Timeline& shown = kernel.timeline;
      if (!sim::lens::is_asynchronous(shown)) continue;
      std::string sentences;
      for (const std::string& sentence : sim::lens::timeline_in_words(shown))
        sentences += paragraph(sentence, "why");
      launches +=
          part("timeline", {{"name", sim::readable_name(kernel.name)},
                            {"extent", sim::lens::extent_in_words(shown, sim::lens::view_of(shown))},
                            {"picture", part("picture", {{"picture", sim::lens::timeline_svg(shown)}})},
                            {"sentences", sentences}});
    }
  return launches.empty()
             ? part("words with code",
                    {{"text", with_code(tr(
                                  "The timeline shows asynchronous copies and products beside the warps that "
                                  "wait for them. The check that is shown has recorded none: `./ladder lens` "
                                  "asks for more than "
                                  "`./ladder run` does, and so does a save here."))}})
             : launches;
}

}  // namespace ladder::cli::serve
