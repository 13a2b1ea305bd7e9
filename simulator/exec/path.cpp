// How long a warp needs for a basic block when nothing else runs: the longest chain of instructions each of
// which waits for the one before. What does not wait is issued meanwhile, as ptxas orders it: loads first.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "simulator/exec/draft.h"

namespace sim::exec {

namespace {

using Kind = DraftOperand::Kind;

/// Machine instructions beyond one that ptxas makes of an instruction, as counted in its output for sm_90.
std::uint64_t extra_slots(const Draft& d) {
  const std::string& name = d.source->opcode;
  const std::string& type = d.source->qualifiers.empty() ? name : d.source->qualifiers.back();
  const bool floating = type[0] == 'f';
  const bool approximate = std::any_of(d.source->qualifiers.begin(), d.source->qualifiers.end(),
                                       [](const std::string& q) { return q == "approx" || q == "full"; });
  if ((name == "div" || name == "rem") && !floating) return type.ends_with("64") ? 40 : 17;
  if (name == "div" || name == "sqrt" || name == "rcp" || name == "rsqrt") return approximate ? 3 : 9;
  // Special functions run at a quarter of the rate.
  if (name == "ex2" || name == "lg2" || name == "sin" || name == "cos" || name == "tanh") return 3;
  return 0;
}

/// m * n * k of a matrix instruction such as "m16n8k16", in multiplications of 16-bit numbers: those of wider
/// ones take longer, of narrower ones less.
std::uint64_t matrix_macs(const Draft& d) {
  for (const std::string& q : d.source->qualifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(q.c_str(), "m%un%uk%u", &m, &n, &k) != 3) continue;
    const auto is = [&](std::string_view type) {
      const auto& all = d.source->qualifiers;
      return std::find(all.begin(), all.end(), type) != all.end();
    };
    const bool bytes = is("s8") || is("u8") || is("e4m3") || is("e5m2");
    return std::uint64_t{m} * n * k * (is("tf32") ? 4u : bytes ? 1u : 2u) / 2;
  }
  return 0;
}

/// Of the units that an instruction occupies, those that are scarce.
UnitUse units_of(const Draft& d) {
  const std::string& name = d.source->opcode;
  const std::string& type = d.source->qualifiers.empty() ? name : d.source->qualifiers.back();
  UnitUse use;
  static const std::set<std::string, std::less<>> special = {"ex2",  "lg2", "sin",  "cos",
                                                             "tanh", "rcp", "sqrt", "rsqrt"};
  if (name == "mma" || (name == "wmma" && d.source->qualifiers.front() == "mma")) {
    use.tensor_macs = matrix_macs(d);
  } else if (type == "f64" && name != "ld" && name != "st" && name != "mov") {
    use.doubles = 1 + extra_slots(d);
  } else if (special.contains(name) || (name == "div" && type[0] == 'f')) {
    use.specials = 1;
  } else if (name == "tex" || name == "tld4" || name == "suld") {
    use.textures = 1;
  }
  return use;
}

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
  } else if (name == "tex" || name == "tld4" || name == "suld") {
    w.global = 1;
  } else if (name == "cp") {
    // Where groups may be left open, the next ones are under way meanwhile: what is waited for has had its
    // time.
    const auto* open =
        has("wait_group") ? std::get_if<ptx::Immediate>(&d.source->operands[0].value) : nullptr;
    w.global = (open != nullptr && open->bits == 0) || has("wait_all") ? 1 : 0;
  } else {
    const std::uint64_t slots = 1 + extra_slots(d);
    // A division of integers goes by way of floats, whose conversions and reciprocal take longer than they
    // occupy slots: about 110 clocks one after the other.
    w.arithmetic = (name == "div" || name == "rem") && slots > 10 ? slots * 3 / 2 : slots;
  }
  return w;
}

/// For choosing the longest chain; the model has the GPU's own figures.
double weight(const ChainOfWaits& c) {
  return 600.0 * (c.global + c.atomics) + 30.0 * c.shared + 4.0 * c.arithmetic;
}

}  // namespace

std::vector<CodeCost> block_costs(const FunctionDraft& f) {
  const std::vector<u32> leaders = block_leaders(f.drafts);
  std::vector<CodeCost> costs;
  for (std::size_t b = 0; b < leaders.size(); ++b) {
    const std::size_t last = b + 1 < leaders.size() ? leaders[b + 1] : f.drafts.size();
    std::map<int, ChainOfWaits> ready;  // by register: the chain that ends in its value
    CodeCost cost;
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
      if (waited_for && weight(chain) > weight(cost.waits)) cost.waits = chain;
      cost.extra_slots += extra_slots(d);
      cost.units.add(units_of(d), 1);
    }
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace sim::exec
