#include "simulator/lens/explain.h"

#include <fmt/format.h>

#include <cmath>

#include "simulator/lens/picture.h"

namespace sim::lens {
namespace {

constexpr double kWorthTelling = 0.15;  ///< of the modelled time, wasted

std::string number(double value) {
  return std::abs(value - std::round(value)) < 0.05 ? fmt::format("{:.0f}", value)
                                                    : fmt::format("{:.1f}", value);
}

std::string access_sentence(const AccessRecord& a, int line) {
  const double cost = cost_per_request(a), ideal = ideal_per_request(a);
  const std::string where = fmt::format("{}, line {}", pattern_in_words(a), line);
  if (a.access == "atomic")
    return fmt::format("{} turns per atomic where {} would do: {}", number(cost), number(ideal), where);
  if (a.space == "shared")
    return fmt::format("{} wavefronts per request where {} would do (bank conflicts): {}", number(cost),
                       number(ideal), where);
  return fmt::format("{} sectors per request where {} would do: {}", number(cost), number(ideal), where);
}

/// Few lanes at work, where instructions are what takes time.
std::optional<std::string> divergence(const KernelRecord& k, const LineRecord& line, double share) {
  if (k.bound != "issue" && k.bound != "latency") return {};
  if (line.inst_executed == 0 || share < kWorthTelling) return {};
  const double lanes = double(line.thread_inst_executed) / double(line.inst_executed);
  if (lanes > 24) return {};
  return fmt::format("{} of 32 lanes at work on average, line {}: the others wait until their branch comes",
                     number(lanes), line.line);
}

}  // namespace

std::optional<Explanation> explain(const std::vector<KernelRecord>& kernels) {
  double total = 0, worst = 0;
  for (const KernelRecord& k : kernels) total += k.modelled_ns;
  std::optional<Explanation> found;
  const auto propose = [&](double wasted_ns, const LineRecord& line, std::string sentence) {
    if (wasted_ns <= worst || wasted_ns < kWorthTelling * total) return;
    worst = wasted_ns;
    found = Explanation{line.file, line.line, std::move(sentence)};
  };
  for (const KernelRecord& k : kernels) {
    const std::vector<double> share = shares(k);
    for (std::size_t i = 0; i < k.lines.size(); ++i) {
      const LineRecord& line = k.lines[i];
      double of_line = 0;
      for (const AccessRecord& a : line.accesses) of_line += double(a.cost);
      for (const AccessRecord& a : line.accesses) {
        const double cost = cost_per_request(a), ideal = ideal_per_request(a);
        if (a.sample.mask == 0 || cost < 1.5 * ideal || of_line == 0) continue;
        const double part = share[i] * double(a.cost) / of_line;
        propose(k.modelled_ns * part * (1 - ideal / cost), line, access_sentence(a, line.line));
      }
      if (auto sentence = divergence(k, line, share[i]))
        propose(k.modelled_ns * share[i] *
                    (1 - double(line.thread_inst_executed) / (32.0 * double(line.inst_executed))),
                line, std::move(*sentence));
    }
  }
  return found;
}

}  // namespace sim::lens
