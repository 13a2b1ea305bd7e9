#include "simulator/lens/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulator/lens/explain.h"
#include "simulator/lens/picture.h"
#include "simulator/lens/svg.h"

namespace sim::lens {
namespace {

constexpr std::size_t kSlots = 128;  // of a warp's whole life, four pixels each
constexpr int kAround = 3;  // lines shown around those that cost something, of files besides the kernel's own

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --hot: #b31d28; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --hot: #ff7b72; --panel: #161b22; } }
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; }
h2 { font: 600 1.05rem/1.4 ui-monospace, monospace; margin: 1.6rem 0 .2rem; overflow-wrap: anywhere; }
p { margin: .2rem 0; color: var(--faint); }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--several); outline-offset: 1px; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.1fr); gap: 1.5rem; align-items: start; margin-top: .6rem; }
.code { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; }
.source { font: 13px/1.55 ui-monospace, monospace; border: 1px solid var(--rule); border-radius: 6px; background: var(--panel);
  padding: .4rem 0; margin-bottom: .9rem; overflow-x: auto; }
.source > * { display: grid; grid-template-columns: 2.6rem 3.6rem 1fr; white-space: pre; color: inherit; text-decoration: none;
  padding: 0 .5rem; min-width: max-content; }
.source a:hover { background: color-mix(in srgb, var(--used) 18%, transparent); }
.source i { font-style: normal; color: var(--faint); } .source b { font-weight: 600; color: var(--hot); }
.source .bar { background: linear-gradient(to right, color-mix(in srgb, var(--hot) 16%, transparent) var(--share), transparent 0); }
.source .name { color: var(--faint); display: block; border-bottom: 1px solid var(--rule); margin-bottom: .3rem; }
.figure { border: 1px solid var(--rule); border-radius: 6px; padding: .6rem .8rem; margin-bottom: .9rem; background: var(--panel);
  break-inside: avoid; }
.figure:target { border-color: var(--hot); }
.figure h3 { margin: 0; font: 600 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.figure h3 a { color: var(--faint); text-decoration: none; margin-right: .6em; }
.figure h4 { margin: .5rem 0 .1rem; font-size: .9rem; font-weight: 600; }
.scroll { overflow-x: auto; } svg { display: block; max-width: 100%; height: auto; }
.why { border-left: 4px solid var(--hot); padding: .35rem .8rem; margin: .6rem 0; color: var(--ink); font-size: 1.05rem; background: var(--panel); }
.use { display: flex; gap: .6em; align-items: center; flex-wrap: wrap; }
.use i { width: 9rem; height: .7em; border-radius: 3px; background: linear-gradient(to right, var(--used) var(--share), var(--wasted) 0); }
.key span { white-space: nowrap; margin-right: 1em; }
.key i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .35em; }
@media (max-width: 72rem) { .two { grid-template-columns: minmax(0, 1fr); } .code { position: static; max-height: none; } }
@media (max-width: 34rem) { body { padding: .8rem; } .source > * { grid-template-columns: 2rem 3rem 1fr; } }
@media print { .two { grid-template-columns: minmax(0, 1fr); } .code { position: static; max-height: none; overflow: visible; }
  .source { overflow: visible; } .source > * { white-space: pre-wrap; min-width: 0; } body { padding: 0; } .scroll { overflow: visible; }
  svg { max-width: 100%; height: auto; } }
)";

std::string percent(double share) {
  return share >= 0.005 ? fmt::format("{:.0f} %", 100 * share) : share > 0 ? "under 1 %" : "0 %";
}

std::string trimmed(const std::string& line) {
  const std::size_t from = line.find_first_not_of(" \t");
  return from == line.npos ? "" : line.substr(from);
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

  std::string run() {
    const auto& g = kernel_.grid;
    const auto& b = kernel_.block;
    add("<section><h2>{}</h2><p>&lt;&lt;&lt;{} × {} × {}, {} × {} × {}&gt;&gt;&gt;: {} modelled, bound by "
        "{}</p>\n",
        escaped(kernel_.name), g[0], g[1], g[2], b[0], b[1], b[2], time_in_words(kernel_.modelled_ns),
        kernel_.bound);
    if (const auto found = explain({kernel_})) add("<p class=\"why\">{}</p>\n", escaped(found->sentence));
    add("<div class=\"two\"><div class=\"code\">");
    for (std::size_t f = 0; f < files_.size(); ++f) source(f);
    add("</div><div>\n");
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kernel_.lines.size(); ++i)
      if (is_drawn(i)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return share_[x] > share_[y]; });
    for (const std::size_t i : order) figure(i);
    trace();
    add("</div></div></section>\n");
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    out_ += fmt::format(text, std::forward<T>(values)...);
  }
  bool is_drawn(std::size_t i) const { return !kernel_.lines[i].accesses.empty() || share_[i] >= 0.1; }
  /// Anchor of a line: k0f1l12 for its figure, with an s before it in the source.
  std::string anchor(std::size_t file, int line) const {
    return fmt::format("k{}f{}l{}", number_, file, line);
  }
  std::size_t index_of(const std::string& file) const {
    return std::size_t(std::find(files_.begin(), files_.end(), file) - files_.begin());
  }

  /// The kernel's own file whole; of others the lines around those that cost something.
  void source(std::size_t f) {
    const auto known = sources_.find(files_[f]);
    if (known == sources_.end() || known->second.empty()) return;
    std::map<int, std::size_t> by_line;
    for (std::size_t i = 0; i < kernel_.lines.size(); ++i)
      if (kernel_.lines[i].file == files_[f]) by_line[kernel_.lines[i].line] = i;
    add("<div class=\"source\" tabindex=\"0\" role=\"region\" aria-label=\"source of {0}\"><div "
        "class=\"name\">{0}</div>",
        escaped(short_name(files_[f])));
    bool gap = false;
    for (int n = 1; n <= int(known->second.size()); ++n) {
      const auto near = by_line.lower_bound(n - kAround);
      if (f != 0 && (near == by_line.end() || near->first > n + kAround)) {
        gap = true;
        continue;
      }
      if (gap) add("<span><i>…</i></span>");
      gap = false;
      const auto at = by_line.find(n);
      source_line(f, n, known->second[std::size_t(n) - 1], at == by_line.end() ? -1 : int(at->second));
    }
    add("</div>");
  }

  void source_line(std::size_t f, int n, const std::string& text, int record) {
    const double s = record < 0 ? 0 : share_[std::size_t(record)];
    const std::string inner =
        fmt::format("<i>{}</i><b>{}</b><code>{}</code>", n, s >= 0.005 ? percent(s) : "", escaped(text));
    const std::string bar =
        s >= 0.005 ? fmt::format(" class=\"bar\" style=\"--share:{:.0f}%\"", 100 * s) : "";
    if (record >= 0 && is_drawn(std::size_t(record)))
      add("<a id=\"s{0}\" href=\"#{0}\"{1}>{2}</a>", anchor(f, n), bar, inner);
    else
      add("<span{}>{}</span>", bar, inner);
  }

  void figure(std::size_t i) {
    const LineRecord& line = kernel_.lines[i];
    const std::size_t f = index_of(line.file);
    const auto source = sources_.find(line.file);
    const bool known =
        source != sources_.end() && line.line > 0 && std::size_t(line.line) <= source->second.size();
    add("<div class=\"figure\" id=\"{0}\"><h3><a href=\"#s{0}\">{1}{2}</a>{3}</h3><p>{4} of the modelled "
        "time</p>",
        anchor(f, line.line), f == 0 ? "" : escaped(short_name(line.file)) + ":", line.line,
        known ? escaped(trimmed(source->second[std::size_t(line.line) - 1])) : "", percent(share_[i]));
    const std::string lanes = lanes_in_words(line);
    if (!lanes.empty() && share_[i] >= 0.1) add("<h4>{}</h4>", lanes);
    for (const SimilarAccesses& a : similar_accesses(line)) {
      const std::string times = a.count > 1 ? fmt::format("{} alike: ", a.count) : "";
      const bool sampled = a.shown->sample.mask != 0;
      add("<h4>{}</h4><p>{}{}</p>", escaped(access_in_words(*a.shown)), times,
          sampled ? escaped(pattern_in_words(*a.shown)) : "");
      if (sampled && a.shown->space != MemorySpace::local) picture(*a.shown);
    }
    add("</div>\n");
  }

  void picture(const AccessRecord& access) {
    add("<div class=\"scroll\" tabindex=\"0\">{}</div>", svg_of(access));
    const Picture p = picture_of(access);
    const std::string waste = waste_in_words(p);
    if (waste.empty()) return;
    const double share =
        p.banks ? double(p.ideal) / double(p.rows.size()) : double(p.useful_bytes) / double(p.moved_bytes);
    add("<p class=\"use\"><i style=\"--share:{:.1f}%\"></i>{}</p>", 100 * share, waste);
  }

  void trace() {
    if (!parted(kernel_.trace)) return;
    const Activity life = activity_of(kernel_.trace, kSlots);
    add("<div class=\"figure\"><h3>One warp's lanes over time</h3><p>All of it, {} instructions: {:.1f} of "
        "32 "
        "lanes at work on average. The paler, the smaller the part of the time.</p><div class=\"scroll\" "
        "tabindex=\"0\">{}</div><h4>Step by step</h4><p>Time runs down. At the left lines of the source, at "
        "the right lanes at work × instructions.</p><div class=\"scroll\" tabindex=\"0\">{}</div></div>\n",
        life.instructions, life.average, svg_of(life),
        svg_of(kernel_.trace, files_.empty() ? "" : files_.front()));
  }

  const KernelRecord& kernel_;
  const Sources& sources_;
  const std::size_t number_;
  const std::vector<std::string> files_;
  const std::vector<double> share_;
  std::string out_;
};

}  // namespace

std::string page_of(const std::string& title, const std::vector<KernelRecord>& kernels,
                    const Sources& sources) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\"><title>{0}</title><style>{1}{2}{3}</style></head><body><main>\n"
      "<h1>{0}</h1>\n<p>What a typical warp did, as the simulator saw it; times are modelled. A cell is four "
      "bytes, its "
      "character the lane: 0–9, a–v; * all lanes.</p>\n<p class=\"key\"><span><i "
      "style=\"background:var(--used)\"></i>one lane's</span><span><i "
      "style=\"background:var(--several)\"></i>several "
      "lanes'</span><span><i style=\"background:var(--wasted)\"></i>moved for nothing</span></p>\n",
      escaped(title), svg_colours(), kStyle, svg_style());
  for (std::size_t i = 0; i < kernels.size(); ++i) out += Section(kernels[i], sources, i).run();
  return out + "</main></body></html>\n";
}

}  // namespace sim::lens
