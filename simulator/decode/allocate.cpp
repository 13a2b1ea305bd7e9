// Register allocation: slots in the frame for virtual registers. Every lane has its own column of every slot,
// so what holds for one thread's registers holds for a warp's: two registers may share a slot when no path
// keeps both alive.
#include <algorithm>
#include <map>

#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

/// A set of virtual registers.
class Bits {
 public:
  explicit Bits(std::size_t n) : words_((n + 63) / 64) {}
  void set(int i) { words_[std::size_t(i) / 64] |= u64{1} << i % 64; }
  void clear(int i) { words_[std::size_t(i) / 64] &= ~(u64{1} << i % 64); }
  bool has(int i) const { return words_[std::size_t(i) / 64] >> i % 64 & 1; }
  /// this |= other; whether that changed anything
  bool add(const Bits& other) {
    u64 changed = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      changed |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return changed != 0;
  }
  void remove(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  template <class F>
  void each(F visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (u64 w = words_[i]; w != 0; w &= w - 1) visit(int(i * 64) + std::countr_zero(w));
  }

 private:
  std::vector<u64> words_;
};

struct Interval {
  int first = -1, last = -1;
  void cover(int position) {
    first = first < 0 ? position : std::min(first, position);
    last = std::max(last, position);
  }
};

class Liveness {
 public:
  explicit Liveness(const IrFunction& f)
      : f_(f), leaders_(block_leaders(f.instructions)), n_(f.function.registers.size()) {
    leaders_.push_back(u32(f.instructions.size()));
    solve();
  }

  /// Two positions per instruction: 2i where it reads, 2i + 1 where it writes.
  std::vector<Interval> intervals() const;

  /// 32-bit values that are alive at a time, at most: predicates have registers of their own.
  u32 peak_words() const {
    u32 peak = 0;
    for (std::size_t b = 0; b + 1 < leaders_.size(); ++b) {
      Bits alive = out_[b];
      u32 words = 0;
      alive.each([&](int r) { words += words_of(r); });
      for (u32 i = leaders_[b + 1]; i-- > leaders_[b];) {
        peak = std::max(peak, words);
        each_use(f_.instructions[i], [&](int r, bool, bool writes, bool guarded) {
          if (writes && !guarded && alive.has(r)) alive.clear(r), words -= words_of(r);
        });
        each_use(f_.instructions[i], [&](int r, bool reads, bool, bool) {
          if (reads && !alive.has(r)) alive.set(r), words += words_of(r);
        });
      }
      peak = std::max(peak, words);
    }
    return peak;
  }

  /// Registers that may be read before they are written.
  std::vector<int> undefined() const {
    std::vector<int> all;
    in_.front().each([&](int r) { all.push_back(r); });
    return all;
  }

 private:
  template <class F>
  static void each_use(const IrInstruction& d, F use) {
    const bool guarded = d.guard.kind != Kind::none;
    if (guarded && d.guard.kind == Kind::vreg) use(d.guard.index, true, false, false);
    for (const IrOperand& o : d.operands)
      if (o.kind == Kind::vreg) use(o.index, o.reads || (o.writes && guarded), o.writes, guarded);
  }
  u32 words_of(int r) const {
    const ptx::Type type = f_.function.registers[std::size_t(r)].type;
    return type == ptx::Type::pred ? 0 : u32(std::max(4, ptx::size_of(type)) / 4);
  }
  void successors(std::size_t block, std::vector<std::size_t>& out) const;
  void solve();
  std::size_t block_of(int index) const {
    return std::size_t(std::upper_bound(leaders_.begin(), leaders_.end(), u32(index)) - leaders_.begin()) - 1;
  }

  const IrFunction& f_;
  std::vector<u32> leaders_;
  std::size_t n_;
  std::vector<Bits> in_, out_;
};

void Liveness::successors(std::size_t block, std::vector<std::size_t>& out) const {
  const IrInstruction& end = f_.instructions[leaders_[block + 1] - 1];
  for (int target : end.targets) out.push_back(block_of(target));
  const bool always =
      end.guard.kind == Kind::none && (end.def->flow == Flow::jump || end.def->flow == Flow::leave);
  if (!always && leaders_[block + 1] < f_.instructions.size()) out.push_back(block + 1);
}

void Liveness::solve() {
  const std::size_t blocks = leaders_.size() - 1;
  in_.assign(blocks, Bits(n_));
  out_.assign(blocks, Bits(n_));
  std::vector<Bits> killed(blocks, Bits(n_));
  for (std::size_t b = 0; b < blocks; ++b) {
    for (u32 i = leaders_[b]; i < leaders_[b + 1]; ++i) {
      each_use(f_.instructions[i], [&](int r, bool reads, bool, bool) {
        if (reads && !killed[b].has(r)) in_[b].set(r);
      });
      each_use(f_.instructions[i], [&](int r, bool, bool writes, bool guarded) {
        if (writes && !guarded) killed[b].set(r);
      });
    }
  }
  std::vector<std::size_t> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      next.clear();
      successors(b, next);
      for (std::size_t s : next) changed |= out_[b].add(in_[s]);
      Bits through = out_[b];
      through.remove(killed[b]);
      changed |= in_[b].add(through);
    }
  }
}

std::vector<Interval> Liveness::intervals() const {
  std::vector<Interval> all(n_);
  for (std::size_t b = 0; b + 1 < leaders_.size(); ++b) {
    in_[b].each([&](int r) { all[std::size_t(r)].cover(2 * int(leaders_[b])); });
    out_[b].each([&](int r) { all[std::size_t(r)].cover(2 * int(leaders_[b + 1]) - 1); });
    for (u32 i = leaders_[b]; i < leaders_[b + 1]; ++i) {
      // A lane-by-lane instruction may write where it has just read; others keep results apart from sources.
      const int write_at =
          2 * int(i) + (f_.instructions[i].def->bind != nullptr || f_.instructions[i].def->apart ? 0 : 1);
      each_use(f_.instructions[i], [&](int r, bool reads, bool writes, bool) {
        if (reads) all[std::size_t(r)].cover(2 * int(i));
        if (writes) all[std::size_t(r)].cover(write_at);
        if (writes) all[std::size_t(r)].cover(2 * int(i) + 1);
      });
    }
  }
  return all;
}

constexpr int slot_bytes(ptx::Type type) {
  return type == ptx::Type::pred ? 4 : std::max(2, ptx::size_of(type)) * kLanes;
}

}  // namespace

std::vector<u32> block_leaders(const std::vector<IrInstruction>& instructions) {
  std::vector<u32> leaders = {0};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (int target : instructions[i].targets) leaders.push_back(u32(target));
    if (instructions[i].def->flow == Flow::converge) leaders.push_back(u32(i));
    if (instructions[i].def->flow != Flow::straight && i + 1 < instructions.size())
      leaders.push_back(u32(i + 1));
  }
  std::sort(leaders.begin(), leaders.end());
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  return leaders;
}

std::vector<int> allocate_registers(IrFunction& f) {
  const Liveness liveness(f);
  const std::vector<Interval> intervals = liveness.intervals();
  const std::vector<int> undefined = liveness.undefined();
  f.code.reads_undefined = !undefined.empty();
  f.code.peak_registers = liveness.peak_words();
  std::vector<int> order;
  for (std::size_t r = 0; r < intervals.size(); ++r)
    if (intervals[r].first >= 0) order.push_back(int(r));
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return intervals[std::size_t(a)].first < intervals[std::size_t(b)].first; });

  std::vector<int> slots(intervals.size(), -1);
  std::map<int, std::vector<int>> free_slots;  // by size
  std::multimap<int, int> alive;               // by last position
  std::vector<int> masks;
  for (int r : order) {
    const ptx::Type type = f.function.registers[std::size_t(r)].type;
    const int bytes = slot_bytes(type);
    while (!alive.empty() && alive.begin()->first < intervals[std::size_t(r)].first) {
      const int dead = alive.begin()->second;
      free_slots[slot_bytes(f.function.registers[std::size_t(dead)].type)].push_back(
          slots[std::size_t(dead)]);
      alive.erase(alive.begin());
    }
    std::vector<int>& reusable = free_slots[bytes];
    if (!reusable.empty()) {
      slots[std::size_t(r)] = reusable.back();
      reusable.pop_back();
    } else if (bytes == 4) {  // predicates are packed, sixteen to a line
      if (masks.empty()) {
        f.code.frame_bytes = (f.code.frame_bytes + 63) / 64 * 64;
        f.code.frame_bytes += 64;
        for (int i = 15; i >= 0; --i) masks.push_back(int(f.code.frame_bytes) - 64 + 4 * i);
      }
      slots[std::size_t(r)] = masks.back();
      masks.pop_back();
    } else {
      slots[std::size_t(r)] = int(f.code.frame_bytes);
      f.code.frame_bytes += u32(bytes);
    }
    alive.emplace(intervals[std::size_t(r)].last, r);
  }
  for (int r : undefined) f.code.undefined.push_back(u32(slots[std::size_t(r)]));
  return slots;
}

}  // namespace sim::exec
