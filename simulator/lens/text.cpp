#include "simulator/lens/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "language/catalogue.h"
#include "simulator/lens/explain.h"
#include "simulator/lens/expression.h"
#include "simulator/lens/tile.h"
#include "simulator/lens/timeline/timeline.h"

namespace sim::lens {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kRows = 6;    // of a picture; the rest is counted
constexpr std::size_t kSteps = 24;  // of a trace
constexpr std::size_t kTiles = 4;   // of a kernel
constexpr std::size_t kSourceColumns = 58;
constexpr std::size_t kWordColumns = kColumns - 10;  // behind the margin of an access
constexpr std::size_t kLifeColumns = 60;             // of a warp's whole life, one character each
constexpr double kHot = 0.1;                         // share from which a line is hot
constexpr int kBar = 6;                              // characters of a line's share

class Writer {
 public:
  Writer(const KernelRecord& kernel, const Sources& sources, const TextStyle& style, Part part)
      : kernel_(kernel), sources_(sources), style_(style), part_(part) {}

  std::vector<std::string> run() {
    const std::string name =
        kernel_.name.size() > kColumns ? kernel_.name.substr(0, kColumns - 3) + "..." : kernel_.name;
    const std::string shape =
        fmt::format("<<<{} x {} x {}, {} x {} x {}>>>", kernel_.grid[0], kernel_.grid[1], kernel_.grid[2],
                    kernel_.block[0], kernel_.block[1], kernel_.block[2]);
    const bool fits = name.size() + 2 + shape.size() <= kColumns;
    add("{}{}", strong(name), fits ? "  " + shape : "");
    if (!fits) add("  {}", shape);
    add("  {} modelled, bound by {}", time(), kernel_.bound);
    if (part_ == Part::timeline) {
      timeline();
      return std::move(out_);
    }
    why();
    const std::vector<double> share = shares(kernel_);
    const std::vector<std::string> files = files_of(kernel_);
    for (const std::string& file : files) {
      bool told = file == files.front();
      for (std::size_t i = 0; i < kernel_.lines.size(); ++i) {
        const LineRecord& one = kernel_.lines[i];
        if (one.file != file || (one.accesses.empty() && share[i] < kHot)) continue;
        if (!told) {
          out_.emplace_back();
          add("  in {}", short_name(file));
        }
        told = true;
        line(one, share[i]);
      }
    }
    divergence(files.empty() ? "" : files.front());
    tiles();
    if (is_asynchronous(kernel_.timeline)) timeline();
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    out_.push_back(fmt::format(text, std::forward<T>(values)...));
  }
  std::string paint(const char* code, const std::string& text) const {
    return style_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
  std::string strong(const std::string& text) const { return paint("1", text); }
  const char* pick(const char* fancy, const char* plain) const { return style_.unicode ? fancy : plain; }

  std::string time() const {
    std::string text = time_in_words(kernel_.modelled_ns);
    if (const std::size_t micro = text.find("µ"); !style_.unicode && micro != text.npos)
      text.replace(micro, std::string_view("µ").size(), "u");
    return text;
  }

  void tiles() {
    if (kernel_.tiles.empty()) return;
    out_.emplace_back();
    add("  Tiles in shared memory. A cell is 16 bytes: row:first element");
    for (std::size_t i = 0; i < std::min(kernel_.tiles.size(), kTiles); ++i) {
      const std::vector<std::string> lines = tile_text(kernel_.tiles[i], style_);
      out_.insert(out_.end(), lines.begin(), lines.end());
    }
  }

  void timeline() {
    out_.emplace_back();
    const std::vector<std::string> lines = timeline_text(kernel_.timeline, style_);
    out_.insert(out_.end(), lines.begin(), lines.end());
  }

  /// The one thing to look at, before the pictures that show it.
  void why() {
    const std::optional<Explanation> found = explain({kernel_});
    if (!found) return;
    std::string rest = found->sentence;
    for (const char* lead = "> "; !rest.empty(); lead = "  ") {
      std::size_t end = rest.size();
      if (end > kColumns - 4) end = rest.rfind(' ', kColumns - 4);
      if (end == rest.npos || end == 0) end = std::min(rest.size(), kColumns - 4);
      add("  {}{}", lead, strong(rest.substr(0, end)));
      rest.erase(0, end + (end < rest.size() && rest[end] == ' ' ? 1 : 0));
    }
  }

  /// A share as a bar of eighths of characters.
  std::string bar(double share) const {
    if (!style_.unicode) return std::string(std::size_t(std::lround(share * kBar)), '#');
    static constexpr std::array kPart = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = int(std::lround(share * kBar * 8));
    std::string text;
    for (int i = 0; i < eighths / 8; ++i) text += "█";
    return text + kPart[std::size_t(eighths % 8)];
  }

  static std::string shortened(std::string text) {
    std::replace(text.begin(), text.end(), '\t', ' ');
    if (columns_of(text) <= kSourceColumns) return text;
    while (columns_of(text) > kSourceColumns - 3) text.pop_back();
    return text + "...";
  }

  void line(const LineRecord& line, double share) {
    out_.emplace_back();
    const std::string whole = source_line(sources_, line), text = shortened(whole);
    const std::string percent = fmt::format("{:>4.0f} %", 100 * share);
    const std::string hot = percent + (share > 0.01 ? " " + bar(share) : "");
    add("{:>5} {} {}{} {}", line.line, pick("│", "|"), text,
        std::string(kSourceColumns - columns_of(text), ' '), share >= kHot ? paint("1;31", hot) : hot);
    const std::string lanes = lanes_in_words(line);
    if (!lanes.empty() && share >= kHot) add("      {} {}", pick("├", "+"), paint("33", lanes));
    for (const SimilarAccesses& a : similar_accesses(line)) access(*a.shown, a.count, whole);
  }

  void access(const AccessRecord& a, int count, const std::string& source) {
    const bool wasteful = cost_per_request(a) >= 1.5 * ideal_per_request(a);
    add("      {} {}", pick("├", "+"), wasteful ? paint("33", access_in_words(a)) : access_in_words(a));
    if (a.sample.mask == 0) return;
    const AccessRecord shown = a.steps.empty() ? a : at_step(a, a.steps[worst_step(a)]);
    std::string lead = count > 1 ? fmt::format("{} alike: ", count) : "";
    if (const std::string index = expression_in(source, a); !index.empty()) lead += index + ": ";
    const std::string pattern = pattern_in_words(shown);
    if (columns_of(lead + pattern) > kWordColumns && !lead.empty()) {
      // A line of its own for the index, unless that, too, is longer than the terminal is wide.
      lead.pop_back();  // the blank
      if (columns_of(lead) <= kWordColumns) add("      {}   {}", pick("│", "|"), lead);
      lead.clear();
    }
    add("      {}   {}{}", pick("│", "|"), lead, pattern);
    if (a.space == MemorySpace::local) return;  // each thread's own; the picture would show 32 islands
    if (!a.steps.empty()) steps(a);
    picture(picture_of(shown));
  }

  /// What each of an access's steps costs, or, where that is the same, how many lanes it has. The picture is
  /// of the one in brackets.
  void steps(const AccessRecord& a) {
    const bool differ = std::any_of(a.steps.begin(), a.steps.end(),
                                    [&](const AccessSample& s) { return s.cost != a.steps.front().cost; });
    const std::size_t worst = worst_step(a);
    std::string values;
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
      const unsigned value = differ ? a.steps[i].cost : unsigned(std::popcount(a.steps[i].mask));
      values += " " + (i == worst ? strong(fmt::format("[{}]", value)) : fmt::format("{}", value));
    }
    add("      {}   step by step, {}:{}", pick("│", "|"),
        !differ                          ? "lanes"
        : a.space == MemorySpace::shared ? "wavefronts"
                                         : "sectors",
        values);
  }

  void picture(const Picture& p) {
    const char* margin = pick("│", "|");
    add("      {}   {:>10} {}", margin, p.banks ? "bank" : "byte",
        p.banks ? "0       8       16      24" : "0       32      64      96");
    for (std::size_t r = 0; r < p.rows.size() && r < kRows; ++r) {
      const Row& row = p.rows[r];
      std::string cells;
      for (const Cell& c : row.cells) cells += cell(c, p.banks);
      add("      {}   {:>10} {}", margin, label_of(p, row, 10), cells);
    }
    if (p.rows.size() > kRows)
      add("      {}   {:>10} {} more", margin, pick("…", "..."), p.rows.size() - kRows);
    if (const std::string waste = waste_in_words(p); !waste.empty()) add("      {}   {}", margin, waste);
  }

  std::string cell(const Cell& c, bool banks) const {
    if (c.state == Cell::State::used)
      return paint(c.lanes > 1 ? "35" : "32", std::string(1, c.lanes > 1 && c.lanes < 32 ? lane_letter(c.lane)
                                                             : c.lanes == 32             ? '*'
                                                                             : lane_letter(c.lane)));
    if (c.state == Cell::State::wasted) return paint("33", pick("░", "."));
    return banks ? paint("2", pick("·", ".")) : " ";
  }

  /// What the lanes of the traced warp did one after the other, where they diverged.
  void divergence(const std::string& file) {
    if (!diverged(kernel_.trace)) return;
    const std::vector<Stretch> all = stretches(kernel_.trace);
    const Activity life = activity_of(kernel_.trace, kLifeColumns);
    out_.emplace_back();
    add("  One warp over time: {} of 32 lanes at work on average", number(life.average));
    add("  {:>14} {} {}", "", pick("│", "|"), levels(life.lanes));
    add("  Its steps: lines, the lanes at work, how many x instructions");
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == kSteps) {
        add("  {:>14} {} {} more", "", pick("…", "..."), all.size() - kSteps);
        break;
      }
      std::string lanes;
      for (int lane = 0; lane < 32; ++lane)
        lanes += (all[i].mask >> lane & 1) != 0 ? pick("█", "#") : pick("·", ".");
      std::string where = lines_in_words(all[i], file);
      if (where.size() > 14) where = ".." + where.substr(where.size() - 12);
      add("  {:>14} {} {} {:>2} x {}", where, pick("│", "|"), lanes, std::popcount(all[i].mask),
          all[i].instructions);
    }
  }

  /// A row of little columns, as high as lanes are at work.
  std::string levels(const std::vector<double>& lanes) const {
    static constexpr std::array kFancy = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static constexpr std::array kPlain = {"_", ".", ":", "-", "=", "+", "*", "#"};
    std::string text;
    for (const double n : lanes) {
      const auto level = std::size_t(std::clamp(std::ceil(n / 4) - 1, 0.0, 7.0));
      text += style_.unicode ? kFancy[level] : kPlain[level];
    }
    return text;
  }

  const KernelRecord& kernel_;
  const Sources& sources_;
  const TextStyle style_;
  const Part part_;
  std::vector<std::string> out_;
};

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = (byte & 0xC0) != 0x80;
    // Letters of U+3000 to U+DFFF, and from U+F000 on, are two columns wide: Chinese, Japanese, Korean,
    // full-width signs.
    const bool wide = byte >= 0xE3 && byte != 0xEE;
    columns += begins ? (wide ? 2 : 1) : 0;
  }
  return columns;
}

char lane_letter(int lane) { return "0123456789abcdefghijklmnopqrstuv"[lane & 31]; }

std::string time_in_words(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} µs", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.3g} s", ns / 1e9);
}

std::string access_in_words(const AccessRecord& a) {
  const double cost = cost_per_request(a), ideal = ideal_per_request(a);
  const std::string instruction = a.access == AccessKind::read    ? tr("load")
                                  : a.access == AccessKind::write ? tr("store")
                                                                  : tr(instruction_name(a.access));
  std::string text = tr("{} {}, {} byte{} a lane: {} {} a request", tr(to_string(a.space)), instruction,
                        a.bytes, a.bytes == 1 ? "" : "s", number(cost),
                        a.space == MemorySpace::shared ? (cost == 1 ? tr("wavefront") : tr("wavefronts"))
                                                       : (cost == 1 ? tr("sector") : tr("sectors")));
  if (cost >= 1.5 * ideal) text += tr(", {} would do", number(ideal));
  return text;
}

std::vector<std::string> files_of(const KernelRecord& kernel) {
  std::map<std::string, std::size_t> lines;
  for (const LineRecord& line : kernel.lines) ++lines[line.file];
  std::vector<std::string> files;
  for (const auto& [file, n] : lines) files.push_back(file);
  std::stable_sort(files.begin(), files.end(),
                   [&](const std::string& a, const std::string& b) { return lines[a] > lines[b]; });
  return files;
}

namespace {

void read_source(Sources& sources, const std::string& file) {
  const auto [at, unread] = sources.try_emplace(file);
  std::ifstream in(file);
  for (std::string line; unread && std::getline(in, line);) at->second.push_back(line);
}

}  // namespace

Sources read_sources(const std::vector<KernelRecord>& kernels) {
  Sources sources;
  for (const KernelRecord& kernel : kernels)
    for (const std::string& file : files_of(kernel)) read_source(sources, file);
  return sources;
}

Sources read_sources(const std::vector<Finding>& findings) {
  Sources sources;
  for (const Finding& finding : findings) {
    read_source(sources, finding.file);
    if (finding.other) read_source(sources, finding.other->file);
  }
  return sources;
}

std::string source_line(const Sources& sources, const LineRecord& at) {
  const auto source = sources.find(at.file);
  if (source == sources.end() || at.line < 1 || std::size_t(at.line) > source->second.size()) return {};
  const std::string& text = source->second[std::size_t(at.line) - 1];
  const std::size_t from = text.find_first_not_of(" \t");
  return from == text.npos ? "" : text.substr(from);
}

std::string short_name(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

std::vector<Stretch> stretches(const std::vector<TraceStep>& trace) {
  std::vector<Stretch> all;
  for (const TraceStep& s : trace) {
    if (all.empty() || all.back().mask != s.mask || all.back().file != s.file)
      all.push_back({s.file, s.line, s.line, s.mask, 0});
    Stretch& at = all.back();
    at.first_line = std::min(at.first_line, s.line);
    at.last_line = std::max(at.last_line, s.line);
    at.instructions += s.instructions;
  }
  return all;
}

std::string lines_in_words(const Stretch& s, const std::string& main_file) {
  const std::string file = s.file == main_file ? "" : short_name(s.file) + ":";
  if (s.first_line == s.last_line) return fmt::format("{}{}", file, s.first_line);
  return fmt::format("{}{}-{}", file, s.first_line, s.last_line);
}

std::string lanes_in_words(const LineRecord& line) {
  if (line.inst_executed == 0) return "";
  const double lanes = double(line.thread_inst_executed) / double(line.inst_executed);
  return lanes > 24 ? "" : tr("{} of 32 lanes at work on average", number(lanes));
}

std::string waste_in_words(const Picture& p) {
  if (p.banks)
    return p.rows.size() <= p.ideal
               ? ""
               : tr("{} passes, one after the other, where {} would do", p.rows.size(), p.ideal);
  if (p.moved_bytes <= p.useful_bytes) return "";
  return tr("{} of {} bytes moved are of use: {:.0f} %", p.useful_bytes, p.moved_bytes,
            100.0 * double(p.useful_bytes) / double(p.moved_bytes));
}

std::vector<std::string> legend(const TextStyle& style) {
  return {"  A cell is four bytes; its letter is the lane that wants them, 0-9 and a-v;",
          fmt::format("  * all lanes, {} moved for nothing. % is the share of the modelled time.",
                      style.unicode ? "░" : ".")};
}

std::vector<std::string> text_of(const KernelRecord& kernel, const Sources& sources, const TextStyle& style,
                                 Part part) {
  return Writer(kernel, sources, style, part).run();
}

}  // namespace sim::lens
