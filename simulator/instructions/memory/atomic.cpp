// atom and red on global, shared and generic addresses.
#include <atomic>

#include "simulator/engine/access/access.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/memory/update.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// One lane's update. Host threads that run other blocks meet only at global memory, and only with operations
/// whose order does not matter.
template <class T, class Update>
T update_bytes(std::byte* at, bool concurrent, Update update) {
  BitsOf<T>* const word = reinterpret_cast<BitsOf<T>*>(at);
  if (concurrent) {
    std::atomic_ref<BitsOf<T>> shared(*word);
    BitsOf<T> old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, std::bit_cast<BitsOf<T>>(update(std::bit_cast<T>(old))))) {
    }
    return std::bit_cast<T>(old);
  }
  const T old = std::bit_cast<T>(*word);
  *word = std::bit_cast<BitsOf<T>>(update(old));
  return old;
}

/// Notes which warps update a word of the block's shared memory. A block has 32 at most.
void note_word(const Warp& w, std::byte* at) {
  const u64 word = (reinterpret_cast<u64>(at) - reinterpret_cast<u64>(w.block->shared.get())) / 4;
  if (word >= w.block->atomic_warps.size()) return;  // another block's of the cluster, or global memory
  u32& warps = w.block->atomic_warps[word];
  if ((warps >> w.index & 1) != 0) return;
  w.worker->counters.shared_atomic_words += warps == 0;
  ++w.worker->counters.shared_atomic_word_warps;
  warps |= 1u << w.index;
}

/// @tparam kOne  adds the constant 1 and nobody reads the result
template <class F, class T, bool Returns, bool kOne = false>
void atomic(Warp& w, const Instr& in) {
  constexpr bool kThree = std::is_same_v<F, AtomicCompareAndSwap>;
  constexpr int kAddress = Returns ? 1 : 0;
  const T *b = lanes<T>(w, in.op[kAddress + 1]), *c = kThree ? lanes<T>(w, in.op[kAddress + 2]) : nullptr;
  T* to = Returns ? lanes<T>(w, in.op[0]) : nullptr;
  const Space space = space_addressed(in);
  Worker& worker = *w.worker;
  Site& site = worker.sites[in.site];
  // ptxas has ATOMS for 32-bit integers, exchanges and compare-and-swaps only.
  constexpr bool kUnit = std::is_same_v<F, AtomicExchange> || (std::is_integral_v<T> && sizeof(T) == 4);
  const SharedAtomic how = kThree   ? SharedAtomic::swap
                           : !kUnit ? SharedAtomic::loop
                           : kOne   ? SharedAtomic::increment
                                    : SharedAtomic::unit;
  const AccessInfo info{in, space, Access::atomic, sizeof(T), how};
  const auto one = [&](std::byte* at, int i) {
    const auto in_shared = [&] {
      return space == Space::shared ||
             (space == Space::generic && w.block->cluster->place_of(at).owner != nullptr);
    };
    (void)in_shared;
    const T old = update_bytes<T>(at, space != Space::shared && worker.concurrent, [&](T value) {
      T result;
      if constexpr (kThree) {
        result = F{}(value, b[i], c[i]);
      } else {
        result = F{}(value, b[i]);
        if constexpr (std::is_same_v<T, f32>) {  // global memory's adders flush subnormals, shared memory's
                                                 // do not
          if (!in_shared()) result = flushed(F{}(flushed(value), flushed(b[i])));
        }
        if constexpr (std::is_same_v<T, f64>) {  // nor do they make signalling NaNs quiet
          if (!in_shared() && value != value) result = value;
        }
      }
      worker.writes += std::memcmp(&result, &value, sizeof value) != 0;
      return result;
    });
    if (space != Space::shared && (site.pattern.lanes_at_memory & kLaneBit[std::size_t(i)]) != 0) {
      worker.same_line_atomics[(reinterpret_cast<u64>(at) >> 9) % worker.same_line_atomics.size()] +=
          std::is_floating_point_v<T> ? 2 : 1;
      ++worker.atomic_lanes;
    }
    if constexpr (Returns) to[i] = old;
  };
  access_memory(
      w, info, locate(w, info, lanes<std::byte>(w, in.op[kAddress]), has_wide_address(in), in.imm),
      [&](std::byte* host, const AccessPattern& p) {
        if (p.space == Space::shared && !w.block->atomic_warps.empty()) [[unlikely]]
          for_each_lane(p.mask, [&](int i) { note_word(w, host + p.offset[i]); });
        for_each_lane(p.mask, [&](int i) { one(host + p.offset[i], i); });
      },
      one);
  if (how == SharedAtomic::loop && site.pattern.space == Space::shared) {
    worker.counters.shared_load_requests += site.weight;
    worker.counters.shared_load_wavefronts += site.loop_wavefronts;
  }
}

template <class F, class T, bool Returns>
[[gnu::cold]] void pick_handler(Binding& b) {
  const bool wide = b.bytes[Returns ? 1 : 0] == 8;
  const auto* value = std::get_if<ptx::Immediate>(&b.source.operands.back().value);
  const bool one =
      std::is_same_v<F, AtomicAdd> && value != nullptr && value->bits == 1 && (!Returns || b.unused_result);
  const bool shared = b.has("shared") || b.has("shared::cta") || b.has("shared::cluster");
  const Space space = shared ? Space::shared : b.has("global") ? Space::global : Space::generic;
  Handler h = &atomic<F, T, Returns>;
  if constexpr (std::is_same_v<F, AtomicAdd> && std::is_same_v<T, u32>) {
    if (one && shared) h = &atomic<F, T, Returns, true>;
  }
  b.out.all = b.out.some = h;
  b.out.op[kAddressing] = addressing(space, wide || !shared);
  b.out.site = b.new_site();
  // An integer sum or extreme is the same in any order, as long as nobody sees what was there before.
  constexpr bool kSymmetric = std::is_integral_v<T> && !std::is_same_v<F, AtomicExchange> &&
                              !std::is_same_v<F, AtomicCompareAndSwap> && !std::is_same_v<F, AtomicInc> &&
                              !std::is_same_v<F, AtomicDec>;
  b.commutes = kSymmetric && (!Returns || b.unused_result);
}

template <class F, class T>
[[gnu::cold]] void bind_atomic(Binding& b) {
  b.source.opcode == "red" ? pick_handler<F, T, false>(b) : pick_handler<F, T, true>(b);
}

template <class F, class T>
[[gnu::cold]] void declare(InstructionSet& defs, const std::string& operation) {
  const OperandSpec value{Role::read, type_of<T>()}, result{Role::write, type_of<T>()},
      address{Role::address};
  const std::string scope =
      "{.cta,.cluster@90,.gpu,.sys}"
      "{.global,.shared,.shared::cta,.shared::cluster@90}";
  std::vector<OperandSpec> operands{result, address, value};
  if (std::is_same_v<F, AtomicCompareAndSwap>) operands.push_back(value);
  defs.custom("atom{.relaxed,.acquire,.release,.acq_rel}" + scope + operation, operands, &bind_atomic<F, T>);
  operands.erase(operands.begin());
  // What an exchange gives back is all there is to it: there is none without.
  if (operands.size() == 2 && !std::is_same_v<F, AtomicExchange>)
    defs.custom("red{.relaxed,.release}" + scope + operation, operands, &bind_atomic<F, T>);
}

}  // namespace

void declare_atomic(InstructionSet& defs) {
  defs.family("atomic");
  declare<AtomicAdd, u32>(defs, ".add(.u32,.s32)");
  declare<AtomicAdd, u64>(defs, ".add.u64");
  declare<AtomicAdd, f32>(defs, ".add.f32");
  declare<AtomicAdd, f64>(defs, ".add.f64");
  declare<AtomicAdd, f16>(defs, ".add.noftz.f16");
  declare<AtomicAdd, f16x2>(defs, ".add.noftz.f16x2");
  declare<AtomicAdd, bf16>(defs, ".add.noftz.bf16@90");
  declare<AtomicAdd, bf16x2>(defs, ".add.noftz.bf16x2@90");
  declare<AtomicMin, u32>(defs, ".min.u32");
  declare<AtomicMin, s32>(defs, ".min.s32");
  declare<AtomicMin, u64>(defs, ".min.u64");
  declare<AtomicMin, s64>(defs, ".min.s64");
  declare<AtomicMax, u32>(defs, ".max.u32");
  declare<AtomicMax, s32>(defs, ".max.s32");
  declare<AtomicMax, u64>(defs, ".max.u64");
  declare<AtomicMax, s64>(defs, ".max.s64");
  declare<AtomicAnd, u32>(defs, ".and.b32");
  declare<AtomicAnd, u64>(defs, ".and.b64");
  declare<AtomicOr, u32>(defs, ".or.b32");
  declare<AtomicOr, u64>(defs, ".or.b64");
  declare<AtomicXor, u32>(defs, ".xor.b32");
  declare<AtomicXor, u64>(defs, ".xor.b64");
  declare<AtomicInc, u32>(defs, ".inc.u32");
  declare<AtomicDec, u32>(defs, ".dec.u32");
  declare<AtomicExchange, u32>(defs, ".exch.b32");
  declare<AtomicExchange, u64>(defs, ".exch.b64");
  declare<AtomicCompareAndSwap, u16>(defs, ".cas.b16");
  declare<AtomicCompareAndSwap, u32>(defs, ".cas.b32");
  declare<AtomicCompareAndSwap, u64>(defs, ".cas.b64");
}

}  // namespace sim::exec
