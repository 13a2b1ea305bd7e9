#include "simulator/sanitizer/registers/register_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/warpgroup.h"

namespace sim::sanitizer {

void RegisterBudget::sets_registers(const Warp& w, const Instr& in, u32 count, bool more) {
  std::vector<Request>& requests = warps_.of(*w.block).requests;
  requests.resize(w.block->warps.size());
  Request& r = requests[w.index];
  r = {&in, context_.analysis.wrappers().line_of(w.frame, context_.code().index_of(in)), count, more,
       r.number + 1};
}

std::optional<u32> RegisterBudget::at_launch() {
  const ptx::Function& kernel = *context_.code().kernel;
  if (kernel.max_registers != 0) return kernel.max_registers;
  if (kernel.min_blocks_per_sm == 0) return {};
  // ptxas gives no thread more than the greatest number asked for.
  u32 most = 0;
  for (const ptx::Instruction* in : context_.code().sources)
    if (in->opcode == "setmaxnreg")
      if (const auto* count = std::get_if<ptx::Immediate>(&in->operands.front().value))
        most = std::max(most, u32(count->bits));
  return std::min(most, kernel.registers_by_bounds());
}

Finding* RegisterBudget::add(const Block& block, std::size_t warp, const Request& request, u8 variant) {
  const FindingKey key{FindingKey::Kind::register_budget, context_.code().index_of(*request.at),
                       FindingKey::kNobody, variant};
  if (context_.collector.again(key)) return nullptr;
  Finding& f = context_.collector.add(key, block.warps[warp], *request.at, 0);
  exec::locate(f, request.line);
  return &f;
}

void RegisterBudget::block_ends(const Block& block) {
  const std::vector<Request>& requests = warps_.of(block).requests;
  if (requests.empty()) return;
  for (std::size_t first = 0; first < requests.size(); first += kWarpsOfGroup)
    check_warpgroup(block, requests, first);
  check_total(block, requests);
}

void RegisterBudget::check_warpgroup(const Block& block, const std::vector<Request>& requests,
                                     std::size_t first) {
  const std::size_t end = std::min(requests.size(), first + kWarpsOfGroup);
  const auto asks =
      std::find_if(requests.begin() + std::ptrdiff_t(first), requests.begin() + std::ptrdiff_t(end),
                   [](const Request& r) { return r.at != nullptr; });
  if (asks == requests.begin() + std::ptrdiff_t(end)) return;
  for (std::size_t i = first; i < end; ++i) {
    if (requests[i].like(*asks)) continue;
    const std::size_t warp = std::size_t(asks - requests.begin());
    Finding* const found = add(block, warp, *asks, 0);
    if (found == nullptr) return;
    Finding& f = *found;
    f.kind = FindingKind::mask;
    const std::string does = requests[i].at == nullptr
                                 ? tr("and warp {} does not", i)
                                 : tr("and warp {} another one, of {} registers", i, requests[i].count);
    f.message = Message(
        "Warp {} executes setmaxnreg.{} {} at line {}, {} (warps {} to {} are a warpgroup): all warps of a "
        "warpgroup "
        "have to execute the same one, else the behaviour is undefined.",
        warp, asks->more ? "inc" : "dec", asks->count, f.line, does, first, end - 1);
    f.cure = Cure::whole_warpgroup;
    return;
  }
}

void RegisterBudget::check_total(const Block& block, const std::vector<Request>& requests) {
  const std::optional<u32> start = at_launch();
  std::size_t greedy = 0;
  u64 total = 0;
  std::string each;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const u32 count = requests[i].at != nullptr ? requests[i].count : start.value_or(0);
    total += u64(count) * kLanes;
    if (requests[i].more && (!requests[greedy].more || requests[greedy].count < count)) greedy = i;
    const bool same = i > 0 && requests[i].like(requests[i - 1]);
    if (same) continue;
    std::size_t last = i;
    while (last + 1 < requests.size() && requests[last + 1].like(requests[i])) ++last;
    each += fmt::format("{}warp{} {}{} {}", each.empty() ? "" : ", ", last == i ? "" : "s", i,
                        last == i ? std::string() : fmt::format("-{}", last), count);
  }
  const auto first =
      std::find_if(requests.begin(), requests.end(), [](const Request& r) { return r.at != nullptr; });
  if (!start) {
    Finding* const found = add(block, std::size_t(first - requests.begin()), *first, 1);
    if (found == nullptr) return;
    Finding& f = *found;
    f.kind = FindingKind::launch;
    f.severity = Severity::note;
    f.message = Message(
        "ptxas ignores the setmaxnreg at line {} (C7508): it does not know with how many registers the "
        "kernel "
        "starts. __launch_bounds__ with a number of blocks, or __maxnreg__, tells it.",
        f.line);
    return;
  }
  const u64 budget = u64(*start) * kLanes * requests.size();
  if (total <= budget || !requests[greedy].more) return;
  Finding* const found = add(block, greedy, requests[greedy], 2);
  if (found == nullptr) return;
  Finding& f = *found;
  f.kind = FindingKind::launch;
  f.message = Message(
      "The setmaxnreg.inc at line {} waits for registers that nobody gives back: the block starts with {} a "
      "thread, "
      "{} in all, and its warps ask for {} ({} a thread).",
      f.line, *start, budget, total, each);
  f.cure = Cure::registers_within_budget;
}

}  // namespace sim::sanitizer
