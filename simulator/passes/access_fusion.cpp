// Accesses to shared memory that ptxas makes one of: four neighbouring 4-byte loads of a thread become one
// 16-byte load (LDS.128). The simulator executes the PTX as it stands and counts as the hardware would.
//
// Seen in the machine code of sm_90: loads (or stores) of one basic block are joined where their addresses
// are one register plus neighbouring constants, the result is aligned whatever the threads do, and nothing
// between them may change what they read. Accesses to global memory are left as they are.
#include <algorithm>
#include <bit>
#include <optional>

#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

constexpr int kMost = 16;  ///< the widest access, bytes
constexpr int kUnknown = 64;

/// How many low bits of every register are zero whatever the threads do: the least over its definitions.
class Alignment {
 public:
  explicit Alignment(const IrFunction& f) : f_(f), zeros_(f.function.registers.size(), kUnknown) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const IrInstruction& d : f.instructions) {
        for (const IrOperand& o : d.operands) {
          if (o.kind != Kind::vreg || !o.writes) continue;
          int& known = zeros_[std::size_t(o.index)];
          const int now = std::min(known, result(d));
          changed |= now != known;
          known = now;
        }
      }
    }
  }

  int of(const IrOperand& o) const {
    if (o.kind == Kind::vreg) return zeros_[std::size_t(o.index)];
    if (const auto value = constant(o)) return *value == 0 ? kUnknown : std::countr_zero(*value);
    return 0;
  }

 private:
  std::optional<u64> constant(const IrOperand& o) const {
    if (o.kind != Kind::constant) return {};
    const Constant& c = f_.in.code.constants[std::size_t(o.index)];
    if (c.kind != Constant::Kind::bits) return {};
    return c.value;
  }

  int result(const IrInstruction& d) const {
    const std::string& name = d.source->opcode;
    const auto source = [&](std::size_t i) { return i < d.operands.size() ? of(d.operands[i]) : 0; };
    if (d.has("hi") || d.operands.empty() || d.counts.front() != 1) return 0;
    if (name == "mov" || name == "cvta" || name == "cvt")
      return is_integer(d) && d.operands.size() == 2 ? source(1) : 0;
    if (name == "add" || name == "sub" || name == "or" || name == "xor")
      return std::min(source(1), source(2));
    if (name == "and") return std::max(source(1), source(2));
    if (name == "mul") return std::min(source(1) + source(2), kUnknown);
    if (name == "mad") return std::min(source(1) + source(2), source(3));
    if (name == "selp") return std::min(source(1), source(2));
    if (name == "shl") {
      const auto by = d.operands.size() == 3 ? constant(d.operands[2]) : std::optional<u64>();
      return by ? std::min(source(1) + int(std::min<u64>(*by, kUnknown)), kUnknown) : source(1);
    }
    return 0;
  }
  static bool is_integer(const IrInstruction& d) {
    return std::none_of(d.source->qualifiers.begin(), d.source->qualifiers.end(),
                        [](const std::string& q) { return q[0] == 'f' || q == "bf16"; });
  }

  const IrFunction& f_;
  std::vector<int> zeros_;
};

bool same(const IrOperand& a, const IrOperand& b) {
  return a.kind == b.kind && (a.kind == Kind::none || (a.index == b.index && a.negated == b.negated));
}

/// A plain access to shared memory of 4 or 8 bytes.
struct Candidate {
  std::size_t index;  ///< in IrFunction::instructions
  bool stores;
  IrOperand base, guard;
  s64 offset;
  int bytes;
};

class AccessFuser {
 public:
  explicit AccessFuser(IrFunction& f) : f_(f), alignment_(f) {}

  void run() {
    const std::vector<u32> leaders = block_leaders(f_.instructions);
    for (std::size_t b = 0; b < leaders.size(); ++b) {
      const std::size_t last = b + 1 < leaders.size() ? leaders[b + 1] : f_.instructions.size();
      for (std::size_t i = leaders[b]; i < last; ++i) visit(i);
      finish_all();
    }
  }

 private:
  void visit(std::size_t i) {
    const IrInstruction& d = f_.instructions[i];
    const std::string& name = d.source->opcode;
    const bool loads = name == "ld", stores = name == "st";
    const bool shared = d.has("shared") || d.has("shared::cta");
    if (loads && (d.has("param") || d.has("const"))) return defines(d);
    if ((loads || stores) && shared && !d.has("volatile")) {
      // What a load reads must not be stored in between, and a store must not pass a load.
      finish_if([&](const Candidate& c) { return c.stores != stores; });
      add(i, stores);
    } else if (name == "bar" || name == "barrier" || name == "atom" || name == "red" || name == "fence" ||
               name == "membar" || ((loads || stores) && !d.has("global") && !d.has("local"))) {
      finish_all();
    }
    defines(d);
  }

  void add(std::size_t i, bool stores) {
    const IrInstruction& d = f_.instructions[i];
    const int elements = d.counts[stores ? 1 : 0];
    const std::string& type = d.source->qualifiers.back();
    const int width = type.ends_with("64") ? 8 : type.ends_with("32") || type.ends_with("x2") ? 4 : 0;
    if (width == 0 || elements * width > 8) return;
    const IrOperand base = d.operands[stores ? 0 : std::size_t(elements)];
    open_.push_back({i, stores, base, d.guard, d.offset, elements * width});
  }

  /// A register that is written ends what was addressed or guarded by it.
  void defines(const IrInstruction& d) {
    for (const IrOperand& o : d.operands) {
      if (o.kind != Kind::vreg || !o.writes) continue;
      const auto uses = [&](const IrOperand& x) { return x.kind == Kind::vreg && x.index == o.index; };
      finish_if([&](const Candidate& c) { return uses(c.base) || uses(c.guard); });
    }
  }

  template <class Which>
  void finish_if(Which which) {
    while (true) {
      const auto first = std::find_if(open_.begin(), open_.end(), which);
      if (first == open_.end()) return;
      const Candidate like = *first;
      std::vector<Candidate> group;
      std::erase_if(open_, [&](const Candidate& c) {
        const bool takes = c.stores == like.stores && same(c.base, like.base) && same(c.guard, like.guard);
        if (takes) group.push_back(c);
        return takes;
      });
      join(group);
    }
  }
  void finish_all() {
    finish_if([](const Candidate&) { return true; });
  }

  /// Covers the group's bytes by aligned pieces of 16, then 8 bytes, as far as they are all there.
  void join(std::vector<Candidate>& group) {
    std::stable_sort(group.begin(), group.end(),
                     [](const Candidate& a, const Candidate& b) { return a.offset < b.offset; });
    const int zeros = alignment_.of(group.front().base);
    for (int piece = kMost; piece >= 8; piece /= 2) {
      if (zeros < std::countr_zero(unsigned(piece))) continue;
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (group[i].offset % piece != 0) continue;
        std::size_t end = i;
        s64 reached = group[i].offset;
        for (; end < group.size() && group[end].offset == reached && reached < group[i].offset + piece; ++end)
          reached += group[end].bytes;
        if (end - i < 2 || reached != group[i].offset + piece) continue;
        merge(group, i, end, piece);
        group.erase(group.begin() + std::ptrdiff_t(i), group.begin() + std::ptrdiff_t(end));
        --i;
      }
    }
  }

  void merge(const std::vector<Candidate>& group, std::size_t first, std::size_t last, int bytes) {
    for (std::size_t i = first; i < last; ++i) {
      IrInstruction& d = f_.instructions[group[i].index];
      d.counted_bytes = u8(i == first ? bytes : 0);
      d.fused = true;
    }
  }

  IrFunction& f_;
  Alignment alignment_;
  std::vector<Candidate> open_;
};

}  // namespace

void fuse_accesses(IrFunction& f) { AccessFuser(f).run(); }

}  // namespace sim::exec
