#include "simulator/lens/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "language/catalogue.h"
#include "simulator/lens/explain.h"
#include "simulator/lens/expression.h"
#include "simulator/lens/finding/picture.h"
#include "simulator/lens/html_template.h"
#include "simulator/lens/page.css.h"
#include "simulator/lens/page.html.h"
#include "simulator/lens/picture.h"
#include "simulator/lens/steps.css.h"
#include "simulator/lens/svg.h"
#include "simulator/lens/tile.h"
#include "simulator/lens/timeline/timeline.h"
#include "simulator/report/wording/words.h"

namespace sim::lens {
namespace {

constexpr std::size_t kBins = 128;  // of a warp's whole life, four pixels each
constexpr int kAround = 3;  // lines shown around those that cost something, of files besides the kernel's own

const HtmlTemplate& page_template() {
  static const HtmlTemplate parsed(embedded::page_html);
  return parsed;
}

std::string part(std::string_view id, HtmlTemplate::Values values) {
  return page_template().part(id, values);
}

std::string percent(double share) {
  return share >= 0.005 ? fmt::format("{:.0f} %", 100 * share) : share > 0 ? "under 1 %" : "0 %";
}

/// One launch, as a section of the page.
class Section {
 public:
  Section(const KernelRecord& kernel, const Sources& sources, std::size_t number)
      : kernel_(kernel),
        sources_(sources),
        number_(number),
        files_(files_of(kernel)),
        share_(shares(kernel)) {}

  std::string run() const {
    const auto& g = kernel_.grid;
    const auto& b = kernel_.block;
    std::string all_sources;
    for (std::size_t f = 0; f < files_.size(); ++f) all_sources += source(f);
    const auto found = explain({kernel_});
    return part("launch", {{"name", kernel_.name},
                           {"grid", fmt::format("{} × {} × {}", g[0], g[1], g[2])},
                           {"block", fmt::format("{} × {} × {}", b[0], b[1], b[2])},
                           {"time", time_in_words(kernel_.modelled_ns)},
                           {"bound", kernel_.bound.empty() ? "" : tr(kernel_.bound.c_str())},
                           {"why", found ? part("why", {{"sentence", found->sentence}}) : ""},
                           {"timeline", timeline()},
                           {"sources", all_sources},
                           {"figures", figures()}});
  }

  /// Lines that take most of the time first, then swizzled tiles and the traced warp.
  std::string figures() const {
    std::string all;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kernel_.lines.size(); ++i)
      if (is_drawn(i)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return share_[x] > share_[y]; });
    for (const std::size_t i : order) all += figure(i);
    return all + tiles() + trace();
  }

 private:
  bool is_drawn(std::size_t i) const { return !kernel_.lines[i].accesses.empty() || share_[i] >= 0.1; }
  /// Anchor of a line: k0f1l12 for its figure, with an s before it in the source.
  std::string anchor(std::size_t file, int line) const {
    return fmt::format("k{}f{}l{}", number_, file, line);
  }
  std::size_t index_of(const std::string& file) const {
    return std::size_t(std::find(files_.begin(), files_.end(), file) - files_.begin());
  }

  /// The kernel's own file whole; of others the lines around those that cost something.
  std::string source(std::size_t f) const {
    const auto known = sources_.find(files_[f]);
    if (known == sources_.end() || known->second.empty()) return {};
    std::map<int, std::size_t> by_line;
    for (std::size_t i = 0; i < kernel_.lines.size(); ++i)
      if (kernel_.lines[i].file == files_[f]) by_line[kernel_.lines[i].line] = i;
    std::string lines;
    bool gap = false;
    for (int n = 1; n <= int(known->second.size()); ++n) {
      const auto near = by_line.lower_bound(n - kAround);
      if (f != 0 && (near == by_line.end() || near->first > n + kAround)) {
        gap = true;
        continue;
      }
      if (gap) lines += part("gap", {});
      gap = false;
      const auto at = by_line.find(n);
      lines += code_line(f, n, known->second[std::size_t(n) - 1], at == by_line.end() ? -1 : int(at->second));
    }
    return part("source", {{"file", short_name(files_[f])}, {"lines", lines}});
  }

  std::string code_line(std::size_t f, int n, const std::string& code, int record) const {
    const double s = record < 0 ? 0 : share_[std::size_t(record)];
    const bool costs = s >= 0.005;
    const std::string text =
        part("text", {{"number", n}, {"share", costs ? percent(s) : ""}, {"code", code}});
    const std::string bar = costs ? part("bar", {{"percent", fmt::format("{:.0f}", 100 * s)}}) : "";
    return record >= 0 && is_drawn(std::size_t(record))
               ? part("drawn line", {{"anchor", anchor(f, n)}, {"bar", bar}, {"text", text}})
               : part("line", {{"bar", bar}, {"text", text}});
  }

  std::string figure(std::size_t i) const {
    const LineRecord& line = kernel_.lines[i];
    const std::size_t f = index_of(line.file);
    std::string content;
    const std::string lanes = lanes_in_words(line);
    if (!lanes.empty() && share_[i] >= 0.1) content += part("lanes", {{"words", lanes}});
    const std::string code = source_line(sources_, line);
    for (const SimilarAccesses& a : similar_accesses(line)) content += access(a, code);
    return part("figure",
                {{"anchor", anchor(f, line.line)},
                 {"place", fmt::format("{}{}", f == 0 ? "" : short_name(line.file) + ":", line.line)},
                 {"code", code},
                 {"share", percent(share_[i])},
                 {"content", content}});
  }

  /// @param code  the line
  std::string access(const SimilarAccesses& alike, const std::string& code) const {
    const AccessRecord& shown = *alike.shown;
    const bool drawn = shown.sample.mask != 0 && shown.space != MemorySpace::local;
    const std::string index = expression_in(code, shown);
    const bool one = shown.steps.empty() || !drawn;
    const std::string pattern = one && shown.sample.mask != 0 ? pattern_in_words(shown) : "",
                      colon = pattern.empty() ? "" : ": ",
                      lead = alike.count > 1 ? tr("{} alike", alike.count) + colon : "";
    return part("access",
                {{"words", access_in_words(shown)},
                 {"index", index.empty() ? "" : part("index", {{"index", index}, {"colon", colon}})},
                 {"pattern", lead + pattern}}) +
           (!drawn ? ""
            : one  ? picture(shown)
                   : steps(shown));
  }

  /// One picture for each, of which the reader chooses; the worst to begin with.
  std::string steps(const AccessRecord& access) const {
    const std::size_t worst = worst_step(access);
    const double most = std::max(1U, access.steps[worst].cost);
    const std::string group = fmt::format("k{}s{}", number_, ++groups_);
    std::string all;
    for (std::size_t i = 0; i < access.steps.size(); ++i) {
      const AccessRecord step = at_step(access, access.steps[i]);
      all += part("step",
                  {{"group", group},
                   {"number", i + 1},
                   {"checked", i == worst ? " checked" : ""},
                   {"height", fmt::format("{:.2f}", access.steps[i].cost / most)},
                   {"of", access.steps.size()},
                   {"times", step.requests == 1 ? std::string(tr("once")) : tr("{} times", step.requests)},
                   {"words", access_in_words(step)},
                   {"pattern", pattern_in_words(step)},
                   {"picture", picture(step)}});
    }
    return part("steps", {{"steps", all}});
  }

  static std::string picture(const AccessRecord& access) {
    const AccessPattern pattern = pattern_of(access);
    const bool banks = access.space == MemorySpace::shared && pattern.kind == AccessPattern::Kind::strided;
    const std::string drawn =
        part("picture",
             {{"strided", banks ? part("strided", {{"step", pattern.step}, {"bytes", access.bytes}}) : ""},
              {"picture", svg_of(access)}});
    const Picture p = picture_of(access);
    const std::string waste = waste_in_words(p);
    if (waste.empty()) return drawn;
    const double share =
        p.banks ? double(p.ideal) / double(p.rows.size()) : double(p.useful_bytes) / double(p.moved_bytes);
    return drawn + part("use", {{"percent", fmt::format("{:.1f}", 100 * share)}, {"waste", waste}});
  }

  std::string tiles() const {
    std::string all;
    for (const TileRecord& tile : kernel_.tiles)
      all += part("tile", {{"line", tile.line},
                           {"words", tile_in_words(tile)},
                           {"passes", passes_in_words(tile)},
                           {"picture", tile_svg(tile)}});
    return all;
  }

  std::string timeline() const {
    const Timeline& shown = kernel_.timeline;
    if (!is_asynchronous(shown)) return {};
    std::string sentences;
    for (const std::string& sentence : timeline_in_words(shown))
      sentences += part("sentence", {{"sentence", sentence}});
    return part("timeline", {{"extent", extent_in_words(shown, view_of(shown))},
                             {"picture", timeline_svg(shown)},
                             {"sentences", sentences}});
  }

  std::string trace() const {
    if (!diverged(kernel_.trace)) return {};
    const Activity life = activity_of(kernel_.trace, kBins);
    return part("trace", {{"instructions", life.instructions},
                          {"average", fmt::format("{:.1f}", life.average)},
                          {"life", svg_of(life)},
                          {"steps", svg_of(kernel_.trace, files_.empty() ? "" : files_.front())}});
  }

  const KernelRecord& kernel_;
  const Sources& sources_;
  const std::size_t number_;
  const std::vector<std::string> files_;
  const std::vector<double> share_;
  mutable int groups_ = 0;  ///< of steps, so far
};

std::string page(const std::string& title, const std::string& intro, const std::string& contents) {
  return page_template().page({{"title", title},
                               {"colours", svg_colours()},
                               {"style", embedded::page_css},
                               {"drawings", figures_style()},
                               {"intro", intro},
                               {"contents", contents}});
}

}  // namespace

std::string figures_style() {
  return std::string(svg_style()) + finding_style() + std::string(embedded::steps_css);
}

std::string figures_of(const KernelRecord& kernel, const Sources& sources, std::size_t number) {
  return Section(kernel, sources, number).figures();
}

std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const Sources& sources) {
  std::string launches;
  for (std::size_t i = 0; i < kernels.size(); ++i) launches += Section(kernels[i], sources, i).run();
  return page(title, part("intro", {}), launches);
}

std::string page_of(const std::string& title, const std::vector<Finding>& findings) {
  const Sources sources = read_sources(findings);
  std::string drawn;
  for (const Finding& finding : findings)
    if (const std::string picture = svg_of(finding, sources); !picture.empty())
      drawn += part("finding", {{"headline", finding_headline(finding)},
                                {"picture", picture},
                                {"sentence", sentence(finding)},
                                {"cure", finding_cure(finding)}});
  return drawn.empty() ? "" : page(title, "", drawn);
}

}  // namespace sim::lens
