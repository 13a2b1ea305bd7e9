#include "simulator/lens/text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "simulator/lens/picture.h"

namespace sim::lens {
namespace {

constexpr std::size_t kRows = 6;    // of a picture; the rest is counted
constexpr std::size_t kSteps = 24;  // of a trace
constexpr std::size_t kSourceColumns = 58;
constexpr double kHot = 0.1;  // share from which a line is hot

class Writer {
 public:
  Writer(const KernelRecord& kernel, const std::vector<std::string>& source, const TextStyle& style)
      : kernel_(kernel), source_(source), style_(style) {}

  std::vector<std::string> run() {
    add("{}  <<<{} x {} x {}, {} x {} x {}>>>", strong(kernel_.name), kernel_.grid[0], kernel_.grid[1],
        kernel_.grid[2], kernel_.block[0], kernel_.block[1], kernel_.block[2]);
    add("  {} modelled, bound by {}", time_in_words(kernel_.modelled_ns), kernel_.bound);
    const std::vector<double> share = shares(kernel_);
    for (std::size_t i = 0; i < kernel_.lines.size(); ++i)
      if (!kernel_.lines[i].accesses.empty()) line(kernel_.lines[i], share[i]);
    divergence();
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

  std::string source_line(int line) const {
    if (line < 1 || std::size_t(line) > source_.size()) return "";
    std::string text = source_[std::size_t(line) - 1];
    const std::size_t from = text.find_first_not_of(" \t");
    text = from == text.npos ? "" : text.substr(from);
    if (text.size() > kSourceColumns) text = text.substr(0, kSourceColumns - 3) + "...";
    return text;
  }

  void line(const LineRecord& line, double share) {
    out_.emplace_back();
    const std::string text = source_line(line.line);
    const std::string percent = fmt::format("{:>4.0f} %", 100 * share);
    add("{:>5} {} {}{} {}", line.line, pick("│", "|"), text, std::string(kSourceColumns - text.size(), ' '),
        share >= kHot ? paint("1;31", percent) : percent);
    for (const AccessRecord& a : line.accesses) access(a);
  }

  void access(const AccessRecord& a) {
    const bool wasteful = cost_per_request(a) >= 1.5 * ideal_per_request(a);
    add("      {} {}", pick("├", "+"), wasteful ? paint("33", access_in_words(a)) : access_in_words(a));
    if (a.sample.mask == 0) return;
    add("      {}   {}", pick("│", "|"), pattern_in_words(a));
    if (a.space == "local") return;  // each thread's own; the picture would show 32 islands
    picture(picture_of(a));
  }

  void picture(const Picture& p) {
    const char* margin = pick("│", "|");
    add("      {}   {:>10} {}", margin, p.banks ? "bank" : "byte",
        p.banks ? "0       8       16      24" : "0       32      64      96");
    for (std::size_t r = 0; r < p.rows.size() && r < kRows; ++r) {
      const Row& row = p.rows[r];
      std::string cells;
      for (const Cell& c : row.cells) cells += cell(c, p.banks);
      const std::string label = p.banks ? fmt::format("pass {}", row.label) : fmt::format("+{}", row.label);
      add("      {}   {:>10} {}", margin, label, cells);
    }
    if (p.rows.size() > kRows)
      add("      {}   {:>10} {} more", margin, pick("…", "..."), p.rows.size() - kRows);
    if (!p.banks && p.moved_bytes > p.useful_bytes)
      add("      {}   {} of {} bytes moved are of use: {:.0f} %", margin, p.useful_bytes, p.moved_bytes,
          100.0 * double(p.useful_bytes) / double(p.moved_bytes));
  }

  std::string cell(const Cell& c, bool banks) const {
    if (c.state == Cell::State::used)
      return paint(c.lanes > 1 ? "35" : "32", std::string(1, c.lanes > 1 && c.lanes < 32 ? lane_letter(c.lane)
                                                             : c.lanes == 32             ? '*'
                                                                             : lane_letter(c.lane)));
    if (c.state == Cell::State::wasted) return paint("33", pick("░", "."));
    return banks ? paint("2", pick("·", ".")) : " ";
  }

  /// What the lanes of the traced warp did one after the other, where they parted.
  void divergence() {
    bool parted = false;
    const std::uint32_t all = kernel_.trace.empty() ? 0 : kernel_.trace.front().mask;
    for (const TraceStep& s : kernel_.trace) parted |= s.mask != all;
    if (!parted) return;
    out_.emplace_back();
    add("  One warp's lanes over time (each row: a line, the lanes at work, instructions)");
    std::size_t shown = 0;
    for (const TraceStep& s : kernel_.trace) {
      if (++shown > kSteps) {
        add("        {} {} more steps", pick("…", "..."), kernel_.trace.size() - kSteps);
        break;
      }
      std::string lanes;
      for (int i = 0; i < 32; ++i) lanes += (s.mask >> i & 1) != 0 ? pick("█", "#") : pick("·", ".");
      add("  {:>5} {} {} {:>2} x {}", s.line, pick("│", "|"), lanes, std::popcount(s.mask), s.instructions);
    }
  }

  const KernelRecord& kernel_;
  const std::vector<std::string>& source_;
  const TextStyle style_;
  std::vector<std::string> out_;
};

std::string number(double value) {
  return std::abs(value - std::round(value)) < 0.05 ? fmt::format("{:.0f}", value)
                                                    : fmt::format("{:.1f}", value);
}

}  // namespace

char lane_letter(int lane) { return "0123456789abcdefghijklmnopqrstuv"[lane & 31]; }

std::string time_in_words(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} µs", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.3g} s", ns / 1e9);
}

std::string access_in_words(const AccessRecord& a) {
  const double cost = cost_per_request(a), ideal = ideal_per_request(a);
  std::string text = fmt::format(
      "{} {}, {} byte{} a lane: {} {} a request", a.space, a.access, a.bytes, a.bytes == 1 ? "" : "s",
      number(cost),
      a.space == "shared" ? (cost == 1 ? "wavefront" : "wavefronts") : (cost == 1 ? "sector" : "sectors"));
  if (cost >= 1.5 * ideal) text += fmt::format(", {} would do", number(ideal));
  return text;
}

std::vector<std::string> read_source(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> text_of(const KernelRecord& kernel, const std::vector<std::string>& source,
                                 const TextStyle& style) {
  return Writer(kernel, source, style).run();
}

}  // namespace sim::lens
