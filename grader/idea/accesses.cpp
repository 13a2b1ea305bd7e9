#include "grader/idea/accesses.h"

#include <map>
#include <utility>

#include "simulator/lens/picture.h"

namespace ladder::idea {
namespace {

/// Calls @p see with every access of a kind and the line that it stands in.
template <class See>
void each_access(const Figures& f, sim::MemorySpace space, sim::AccessKind kind, const See& see) {
  for (const sim::KernelRecord& kernel : f.kernels)
    for (const sim::LineRecord& line : kernel.lines)
      for (const sim::AccessRecord& access : line.accesses)
        if (access.space == space && access.access == kind && access.requests > 0) see(line, access);
}

}  // namespace

Value width(const Figures& f, sim::MemorySpace space, sim::AccessKind kind) {
  Value result;
  double requests = 0, bytes = 0;
  std::uint64_t most = 0;
  each_access(f, space, kind, [&](const sim::LineRecord& line, const sim::AccessRecord& access) {
    requests += number(access.requests);
    bytes += number(access.requests) * access.bytes;
    if (access.bytes >= 16 || access.requests <= most) return;
    most = access.requests;
    result.file = line.file, result.line = line.line;
  });
  result.value = over(bytes, requests);
  return result;
}

Value excess(const Figures& f, sim::MemorySpace space, sim::AccessKind kind) {
  constexpr double kCounts = 0.05;
  struct Sum {
    double cost = 0, least = 0, requests = 0;
  };
  std::map<std::pair<std::string, int>, Sum> lines;
  double all = 0;
  each_access(f, space, kind, [&](const sim::LineRecord& line, const sim::AccessRecord& access) {
    Sum& sum = lines[{line.file, line.line}];
    sum.cost += number(access.cost);
    sum.least += number(access.requests) * sim::lens::ideal_per_request(access);
    sum.requests += number(access.requests);
    all += number(access.cost);
  });
  Value worst;
  for (const auto& [place, sum] : lines)
    if (sum.cost >= kCounts * all && over(sum.cost, sum.least) > worst.value)
      worst = {over(sum.cost, sum.least), place.first, place.second, over(sum.cost, sum.requests),
               over(sum.least, sum.requests)};
  return worst;
}

Value at_busiest(const Figures& f, double value, sim::MemorySpace space, sim::AccessKind kind) {
  Value result{value, {}, 0, 0, 0};
  std::uint64_t most = 0;
  each_access(f, space, kind, [&](const sim::LineRecord& line, const sim::AccessRecord& access) {
    if (access.requests <= most) return;
    most = access.requests;
    result.file = line.file, result.line = line.line;
  });
  return result;
}

Value lanes(const Figures& f) {
  Value result{over(number(f.counters.thread_inst_executed), number(f.counters.inst_executed)), {}, 0, 0, 0};
  double most = 0;
  for (const sim::KernelRecord& kernel : f.kernels)
    for (const sim::LineRecord& line : kernel.lines) {
      const double idle = 32 * number(line.inst_executed) - number(line.thread_inst_executed);
      if (idle <= most) continue;
      most = idle;
      result.file = line.file, result.line = line.line;
    }
  return result;
}

}  // namespace ladder::idea
