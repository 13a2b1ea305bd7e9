// How long a warp needs for a basic block when nothing else runs: the longest chain of instructions each of which
// waits for the one before. What does not wait is issued meanwhile, as ptxas orders it: loads first.
#include <algorithm>
#include <map>

#include "simulator/exec/draft.h"

namespace sim::exec {

namespace {

using Kind = DraftOperand::Kind;

/// What one instruction adds to a chain.
ChainOfWaits waits_of(const Draft& d) {
  const std::string& name = d.source->opcode;
  const auto has = [&](std::string_view q) {
    const auto& all = d.source->qualifiers;
    return std::find(all.begin(), all.end(), q) != all.end();
  };
  const bool shared = has("shared") || has("shared::cta");
  ChainOfWaits w;
  if (name == "ld" && (has("param") || has("const"))) {
    w.arithmetic = 1;
  } else if (name == "ld" || (name == "wmma" && has("load"))) {
    (shared ? w.shared : w.global) = 1;
  } else if (name == "atom") {
    (shared ? w.shared : w.atomics) = 1;
  } else if (name == "ldmatrix" || name == "shfl" || name == "match" || name == "redux") {
    w.shared = 1;  // the same pipe, about as long
  } else if (name == "cp") {
    w.global = has("wait_group") || has("wait_all") ? 1 : 0;
  } else if (name == "wmma" || name == "mma" || name == "div" || name == "sqrt" || name == "sin" || name == "cos" ||
             name == "ex2" || name == "lg2" || name == "rcp" || name == "rsqrt" || name == "rem") {
    w.arithmetic = 6;  // several of the short ones
  } else {
    w.arithmetic = 1;
  }
  return w;
}

/// For choosing the longest chain; the model has the GPU's own figures.
double weight(const ChainOfWaits& c) {
  return 600.0 * (c.global + c.atomics) + 30.0 * c.shared + 4.0 * c.arithmetic;
}

}  // namespace

std::vector<ChainOfWaits> longest_chains(const FunctionDraft& f) {
  const std::vector<u32> leaders = block_leaders(f.drafts);
  std::vector<ChainOfWaits> chains;
  for (std::size_t b = 0; b < leaders.size(); ++b) {
    const std::size_t last = b + 1 < leaders.size() ? leaders[b + 1] : f.drafts.size();
    std::map<int, ChainOfWaits> ready;  // by register: the chain that ends in its value
    ChainOfWaits longest;
    for (std::size_t i = leaders[b]; i < last; ++i) {
      const Draft& d = f.drafts[i];
      ChainOfWaits chain;
      const auto after = [&](const DraftOperand& o) {
        if (o.kind != Kind::vreg) return;
        const auto known = ready.find(o.index);
        if (known != ready.end() && weight(known->second) > weight(chain)) chain = known->second;
      };
      for (const DraftOperand& o : d.operands)
        if (o.reads) after(o);
      after(d.guard);
      chain += waits_of(d);
      bool waited_for = false;
      for (const DraftOperand& o : d.operands) {
        if (o.kind != Kind::vreg || !o.writes) continue;
        ready[o.index] = chain;
        waited_for = true;
      }
      // Nobody waits for a store to arrive.
      if (!waited_for && d.source->opcode == "cp") waited_for = true;
      if (waited_for && weight(chain) > weight(longest)) longest = chain;
    }
    chains.push_back(longest);
  }
  return chains;
}

}  // namespace sim::exec
