// How long a warp needs for a basic block when nothing else runs: the longest chain of instructions each of
// which waits for the one before. What does not wait is issued meanwhile, as ptxas orders it: loads first.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

const std::string& type_of(const IrInstruction& d) {
  return d.source->qualifiers.empty() ? d.source->opcode : d.source->qualifiers.back();
}
bool is_shared(const IrInstruction& d) { return d.has("shared") || d.has("shared::cta"); }
bool is_special(const std::string& name) {
  static const std::set<std::string, std::less<>> all = {"ex2", "lg2",  "sin",   "cos",   "tanh",
                                                         "rcp", "sqrt", "rsqrt", "bfind", "popc"};
  return all.contains(name);
}
bool is_memory(const std::string& name) {
  return name == "ld" || name == "st" || name == "atom" || name == "red" || name == "cp";
}
/// From a floating-point number to an integer: the unit of special functions does it.
bool rounds_to_integer(const IrInstruction& d) {
  if (d.source->opcode != "cvt") return false;
  const auto& q = d.source->qualifiers;
  return q.size() > 1 && q.back()[0] == 'f' && (q[q.size() - 2][0] == 's' || q[q.size() - 2][0] == 'u');
}

/// Machine instructions that ptxas makes of one of PTX, as counted in its output for sm_90.
std::uint64_t machine_instructions(const IrInstruction& d) {
  const std::string &name = d.source->opcode, &type = type_of(d);
  const bool floating = type[0] == 'f', wide = type.ends_with("64"),
             approximate = d.has("approx") || d.has("full");
  if (name == "cvta" || (d.fused && d.counted_bytes == 0)) return 0;  // an access that is part of a wider one
  if (d.warp_aggregation != WarpAggregation::never) return 10;        // who is there, their sum, one of them
  if (is_memory(name)) return 1;
  if ((name == "div" || name == "rem") && !floating) return wide ? 41 : 18;
  if (d.has("ftz") && approximate && name != "div") return 1;  // small numbers need no care
  if (name == "div" || name == "sqrt" || name == "rcp" || name == "rsqrt") return approximate ? 4 : 10;
  if (name == "ex2" || name == "lg2" || name == "sin" || name == "cos" || name == "tanh") return 4;
  if (wide && !floating && name == "mul") return d.has("lo") ? 4 : 6;
  if (wide && !floating && name == "mad") return d.has("lo") ? 6 : 8;
  return wide && !(floating && name != "mov") ? 2 : 1;  // registers have 32 bits
}

/// The shape of a matrix instruction such as "m16n8k16"; zeros where it has none.
struct Shape {
  unsigned m = 0, n = 0, k = 0;
};
Shape shape_of(const IrInstruction& d) {
  Shape s;
  for (const std::string& q : d.source->qualifiers)
    if (std::sscanf(q.c_str(), "m%un%uk%u", &s.m, &s.n, &s.k) == 3) return s;
  return {};
}

/// m * n * k of a matrix instruction such as "m16n8k16", in multiplications of 16-bit numbers: those of wider
/// ones take longer, of narrower ones less.
std::uint64_t matrix_macs(const IrInstruction& d) {
  auto [m, n, k] = shape_of(d);
  const bool bytes = d.has("s8") || d.has("u8") || d.has("e4m3") || d.has("e5m2");
  if (d.source->opcode == "wgmma") m /= 4;  // each of the four warps has a quarter
  if (d.has("sp") || d.has("sp::ordered_metadata")) k /= 2;
  return std::uint64_t{m} * n * k * (d.has("tf32") ? 4u : bytes ? 1u : 2u) / 2;
}

bool a_in_registers(const IrInstruction& wgmma) { return wgmma.def->operands[1].elements == 4; }

/// Bytes of shared memory that a warp's quarter of a wgmma reads. Of each step a row has 32 bytes, and of a
/// sparse factor's partner 64.
std::uint64_t wgmma_bytes(const IrInstruction& d) {
  constexpr std::uint64_t kRowsOfWarp = 16, kRow = 32;
  return (a_in_registers(d) ? 0 : kRowsOfWarp * kRow) + shape_of(d).n * kRow * (d.has("sp") ? 2 : 1) / 4;
}

bool is_product(const IrInstruction& d) {
  const std::string& name = d.source->opcode;
  return name == "mma" || (name == "wmma" && d.source->qualifiers.front() == "mma") ||
         (name == "wgmma" && d.has("mma_async"));
}

/// How many groups a wait for groups leaves under way, of copies or of products; nothing where it is no such
/// wait.
std::optional<std::uint64_t> left_under_way(const IrInstruction& d) {
  if (!d.has("wait_group")) return std::nullopt;
  const auto* pending = std::get_if<ptx::Immediate>(&d.source->operands[0].value);
  return pending == nullptr ? std::nullopt : std::optional<std::uint64_t>(pending->bits);
}

/// Whether all products that are under way are waited for.
bool is_wgmma_wait(const IrInstruction& d) { return d.source->opcode == "wgmma" && left_under_way(d) == 0; }

/// Of the units that an instruction occupies, those that are scarce.
UnitUse units_of(const IrInstruction& d) {
  const std::string &name = d.source->opcode, &type = type_of(d);
  UnitUse use;
  if (is_product(d)) {
    use.tensor_macs = matrix_macs(d);
    if (name == "wgmma") use.wgmma_macs = use.tensor_macs, use.wgmma_bytes = wgmma_bytes(d);
  } else if (type == "f64" && !is_memory(name) && name != "mov") {
    use.doubles = machine_instructions(d);
  } else if ((name == "div" || name == "rem") && type[0] != 'f') {
    use.specials = 3;  // to float, reciprocal, and back
  } else if (is_special(name) || name == "div" || rounds_to_integer(d)) {
    use.specials = 1;
  } else if (name == "tex" || name == "tld4" || name == "suld") {
    use.textures = 1;
  }
  return use;
}

/// The class of an instruction; `count` for those of none.
InstructionClass class_of(const IrInstruction& d) {
  using C = InstructionClass;
  static const std::map<std::string, C, std::less<>> by_name = {
      {"shfl", C::shuffle},         {"vote", C::vote},        {"match", C::match},
      {"redux", C::warp_reduction}, {"membar", C::fence},     {"ldmatrix", C::matrix_load},
      {"fence", C::fence},          {"dp4a", C::dot_product}, {"dp2a", C::dot_product}};
  const std::string &name = d.source->opcode, &type = type_of(d);
  if (left_under_way(d).value_or(0) > 0) return C::partial_wait;
  if (is_product(d)) return name == "wmma" ? C::fragment_product : C::matrix_product;
  if (const auto known = by_name.find(name); known != by_name.end()) return known->second;
  if (name == "bar" && d.has("warp")) return C::warp_barrier;
  if (name == "wmma" && d.has("load")) return C::fragment_load;
  if (name == "st" && (d.has("relaxed") || d.has("release") || d.has("volatile"))) return C::atomic_store;
  if (name == "atom" && d.has("exch")) return C::atomic_store;
  if (name == "cp") {
    const bool waits = d.has("commit_group") || d.has("wait_group") || d.has("wait_all") || d.has("mbarrier");
    return d.has("async") && !waits ? C::async_copy : C::count;
  }
  if (name == "ld" && d.has("const")) return C::constant_load;
  if (name == "ld" && d.has("nc")) return C::read_only_load;
  if ((name == "div" || name == "rem") && type[0] != 'f') return C::division;
  const bool arithmetic = name == "add" || name == "sub" || name == "mul" || name == "fma" || name == "mad";
  if (arithmetic && type == "f32") return C::float_operation;
  const bool any = arithmetic || name == "min" || name == "max" || name == "tanh" || name == "ex2" ||
                   name == "neg" || name == "abs" || name == "set" || name == "setp";
  if (any && (d.has("f16x2") || d.has("bf16x2"))) return C::packed_operation;
  if (any && (d.has("f16") || d.has("bf16"))) return C::half_operation;
  if (name == "min" || name == "max") return C::extremum;
  return C::count;
}

/// What an access promises for those before or behind it; fences are a class of their own.
void add_order(InstructionMix& mix, const IrInstruction& d) {
  const std::string& name = d.source->opcode;
  if (name != "ld" && name != "st" && name != "atom" && name != "red") return;
  const bool both = d.has("acq_rel");
  mix[InstructionClass::acquire] += both || d.has("acquire");
  mix[InstructionClass::release] += both || d.has("release");
}

/// How long an instruction's result takes, in simple ones' (4.15 clocks on an H200): special functions,
/// conversions to integers and votes take 17 clocks, double precision 8, matrix products 24. Those of wgmma
/// run one behind the other, half a clock a column, and are waited for 41 clocks more. An arrival at an
/// mbarrier and the wait for its phase take 51 clocks.
std::uint64_t links_of(const IrInstruction& d) {
  const std::string &name = d.source->opcode, &type = type_of(d);
  const bool integer = type[0] != 'f', wide = type.ends_with("64");
  // By way of floats: about 110 clocks one after the other, and twice that with 64 bits.
  if ((name == "div" || name == "rem") && integer) return wide ? 60 : 25;
  if (is_wgmma_wait(d)) return 10;
  if (name == "mbarrier" && d.has("try_wait")) return 11;
  if (name == "wgmma" && is_product(d)) return std::max(1u, (shape_of(d).n + 4) / 8);
  if (is_product(d)) return 6;
  if (name == "vote" || rounds_to_integer(d)) return 4;
  if (type == "f64") return 2 * machine_instructions(d);
  if (is_special(name) || name == "div") return 3 + machine_instructions(d);
  return 1;
}

/// By how much the wait for a product of wgmma takes longer: 12 clocks where A's tile comes from shared
/// memory, and 4 for each 64 columns of sums beyond 128.
std::uint64_t wgmma_wait_links(const IrInstruction& d) {
  const unsigned columns = shape_of(d).n;
  return (a_in_registers(d) ? 0 : 3) + (columns > 128 ? (columns - 128) / 64 : 0);
}

/// What one instruction adds to a chain.
CriticalPath waits_of(const IrInstruction& d) {
  const std::string& name = d.source->opcode;
  const bool shared = is_shared(d);
  CriticalPath w;
  if (name == "ld" && (d.has("param") || d.has("const"))) {
    w.arithmetic = 1;
  } else if (name == "ld" || (name == "wmma" && d.has("load"))) {
    (shared ? w.shared : w.global) = 1;
  } else if (name == "atom") {
    (shared ? w.shared : w.atomics) = 1;
  } else if (name == "ldmatrix" || name == "shfl" || name == "match" || name == "redux") {
    w.shared = 1;  // the same pipe, about as long
  } else if (name == "tex" || name == "tld4" || name == "suld") {
    w.global = 1;
  } else if (name == "cp" && d.has("bulk") && d.has("wait_group")) {
    // Besides the bytes' own time; what may stay open is under way meanwhile.
    if (left_under_way(d) == 0) w.arithmetic = d.has("read") ? 16 : 19;  // 68 and 79 clocks
  } else if (name == "cp") {
    // Where groups may be left open, the next ones are under way meanwhile: what is waited for
    // has had its time.
    w.global = w.copies = left_under_way(d) == 0 || d.has("wait_all") ? 1 : 0;
  } else {
    w.arithmetic = links_of(d);
    if (name == "wgmma" && is_product(d)) w.products = w.arithmetic;
  }
  return w;
}

/// For choosing the longest chain; the model has the GPU's own figures.
double weight(const CriticalPath& c) {
  return 600.0 * double(c.global + c.atomics) + 30.0 * double(c.shared) + 4.0 * double(c.arithmetic);
}

bool goes_straight(const IrInstruction& d) {
  return d.def->flow == Flow::straight || (d.def->flow == Flow::converge && d.source->opcode != "bar");
}

/// Whether a jump leaves out a few instructions that lie before it, as `if (i < n) v = data[i];`
/// does. The hardware goes on in any case until a value is needed, so loads behind several such jumps
/// are under way together.
bool leaves_out_few(const std::vector<IrInstruction>& instructions, std::size_t at) {
  constexpr std::size_t kFew = 16;
  const IrInstruction& d = instructions[at];
  if (d.def->flow != Flow::jump || d.guard.kind == Kind::none || d.targets.size() != 1) return false;
  const auto target = std::size_t(d.targets[0]);
  if (target <= at || target > at + kFew) return false;
  for (std::size_t i = at + 1; i < target; ++i) {
    const bool leaves_less = instructions[i].def->flow == Flow::jump && instructions[i].targets.size() == 1 &&
                             std::size_t(instructions[i].targets[0]) <= target &&
                             leaves_out_few(instructions, i);
    if (!goes_straight(instructions[i]) && !leaves_less) return false;
  }
  return true;
}

/// By instruction, whether a chain of waits begins anew there: where control comes from elsewhere, and behind
/// barriers, which hand on what other threads have stored. What only needs the warp's lanes together, such as
/// a shuffle or a matrix product, ends no chain although it is a basic block of its own.
std::vector<bool> chains_begin(const std::vector<IrInstruction>& instructions) {
  std::vector<bool> begins(std::max<std::size_t>(1, instructions.size()));
  begins[0] = true;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (goes_straight(instructions[i]) || leaves_out_few(instructions, i)) continue;
    for (int target : instructions[i].targets) begins[std::size_t(target)] = true;
    if (i + 1 < instructions.size()) begins[i + 1] = true;
  }
  return begins;
}

/// Whether an access may be to global memory: PTX names the space, or leaves it open.
bool may_be_global(const IrInstruction& d) {
  return !is_shared(d) && !d.has("param") && !d.has("const") && !d.has("local");
}

/// The stores to global memory since the chain began. A load behind one stays behind it, and so waits for
/// what it stores: ptxas cannot know that they are to different places. It knows where both go by the same
/// register, and where `__restrict__` made the load non-coherent (ld.global.nc).
class Stores {
 public:
  void clear() { stores_.clear(); }
  /// @param chain  what the store had to wait for
  void add(const IrInstruction& store, const CriticalPath& chain) {
    if (store.source->opcode == "st" && may_be_global(store))
      stores_.push_back({store.operands.front().index, chain});
  }
  /// Lengthens the chain of a load by the stores that it stays behind.
  void hold_back(const IrInstruction& load, CriticalPath& chain) const {
    if (load.source->opcode != "ld" || !may_be_global(load) || load.has("nc")) return;
    const int address = load.operands.back().index;
    for (const Store& store : stores_)
      if (store.address != address && weight(store.chain) > weight(chain)) chain = store.chain;
  }

 private:
  struct Store {
    int address;  // register
    CriticalPath chain;
  };
  std::vector<Store> stores_;
};

}  // namespace

u32 estimated_clocks(const CodeCost& cost) {
  return u32(weight(cost.critical_path)) + u32(cost.sass_instructions);
}

std::vector<CodeCost> block_costs(const IrFunction& f) {
  const std::vector<u32> leaders = block_leaders(f.instructions);
  const std::vector<bool> begins = chains_begin(f.instructions);
  std::vector<CodeCost> costs(leaders.size());
  std::map<int, CriticalPath> ready;  // by register: the chain that ends in its value
  CriticalPath decided;               // what the last jump, or wait for products, had to wait for
  CriticalPath products;              // the longest that ends in one of wgmma
  Stores stores;
  std::size_t first = 0;  // block of the chain, which is visited as often as those it runs through
  for (std::size_t b = 0; b < leaders.size(); ++b) {
    const std::size_t last = b + 1 < leaders.size() ? leaders[b + 1] : f.instructions.size();
    if (begins[leaders[b]]) ready.clear(), stores.clear(), decided = products = {}, first = b;
    for (std::size_t i = leaders[b]; i < last; ++i) {
      const IrInstruction& d = f.instructions[i];
      CriticalPath chain = decided;
      const auto after = [&](const IrOperand& o) {
        if (o.kind != Kind::vreg) return;
        const auto known = ready.find(o.index);
        if (known != ready.end() && weight(known->second) > weight(chain)) chain = known->second;
      };
      for (const IrOperand& o : d.operands)
        if (o.reads) after(o);
      after(d.guard);
      if (is_wgmma_wait(d) && weight(products) > weight(chain)) chain = products;
      stores.hold_back(d, chain);
      stores.add(d, chain);
      chain += waits_of(d);
      if (d.def->flow == Flow::jump || is_wgmma_wait(d)) decided = chain;
      if (d.source->opcode == "wgmma" && is_product(d)) {
        CriticalPath waited = chain;
        waited.arithmetic += wgmma_wait_links(d);
        waited.products += wgmma_wait_links(d);
        if (weight(waited) > weight(products)) products = waited;
      }
      // No instruction waits for a store to arrive.
      bool waited_for = d.source->opcode == "cp" || is_wgmma_wait(d);
      for (const IrOperand& o : d.operands) {
        if (o.kind != Kind::vreg || !o.writes) continue;
        ready[o.index] = chain;
        waited_for = true;
      }
      if (waited_for && weight(chain) > weight(costs[first].critical_path))
        costs[first].critical_path = chain;
      costs[b].sass_instructions += machine_instructions(d);
      costs[b].units.add(units_of(d), 1);
      if (const InstructionClass which = class_of(d); which != InstructionClass::count)
        costs[b].instructions[which] += 1;
      add_order(costs[b].instructions, d);
    }
  }
  return costs;
}

}  // namespace sim::exec
