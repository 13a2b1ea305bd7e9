// Atomics on 16 bytes, and on vectors whose elements are each atomic.
#include "simulator/engine/access/access.h"
#include "simulator/instructions/convert/half.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// Where the instruction's memory is and how its address is written.
struct Where {
  Space space = Space::generic;
  bool wide_address = true;
};

Where where(const Binding& b, std::size_t address) {
  const bool shared = b.has("shared") || b.has("shared::cta") || b.has("shared::cluster");
  return {shared ? Space::shared : b.has("global") ? Space::global : Space::generic, b.bytes[address] == 8};
}

/// atom.exch and atom.cas of b128.
template <bool kCompare>
void exchange(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const Where& at = *static_cast<const Where*>(wide.detail.get());
  const AccessInfo info{in, at.space, Access::atomic, 16};
  u128* const to = lanes<u128>(w, wide.op[0]);
  const u128 *b = lanes<u128>(w, wide.op[2]), *c = kCompare ? lanes<u128>(w, wide.op[3]) : nullptr;
  for_each_lane(w.active, [&](int lane) {
    std::byte* const bytes =
        resolve_lane(w, info, address_of(w, wide.op[1], at.wide_address, lane) + u64(wide.offset), lane);
    u128 old;
    std::memcpy(&old, bytes, sizeof old);
    const u128 fresh = kCompare ? (old == b[lane] ? c[lane] : old) : b[lane];
    if (fresh != old) ++w.worker->writes;
    std::memcpy(bytes, &fresh, sizeof fresh);
    to[lane] = old;
  });
}

template <bool kCompare>
[[gnu::cold]] void bind_exchange(Binding& b) {
  b.wide->detail = std::make_shared<Where>(where(b, 1));
  b.out.all = b.out.some = &exchange<kCompare>;
  b.out.site = b.new_site();
}

enum class Vector : u8 { add, min, max };

template <class T, Vector kOperation>
T combined(T a, T b) {
  if constexpr (kOperation == Vector::add) {
    if constexpr (std::is_same_v<T, f32>) return flushed(add_values(flushed(a), flushed(b)));
    return add_values(a, b);
  } else if constexpr (std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>) {
    const auto half = [](auto x, auto y) {
      return rounded_as(x, extreme<kOperation == Vector::max>(widened(x), widened(y), Mods{}));
    };
    return pair_of(half(low(a), low(b)), half(high(a), high(b)));
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return rounded_as(a, extreme<kOperation == Vector::max>(widened(a), widened(b), Mods{}));
  } else {
    return b;
  }
}

template <class T, Vector kOperation, bool kReturns>
void update_vector(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const Where& at = *static_cast<const Where*>(wide.detail.get());
  const std::size_t elements = wide.targets[0], address = kReturns ? elements : 0;
  const AccessInfo info{in, at.space, Access::atomic, u32(elements * sizeof(T))};
  for_each_lane(w.active, [&](int lane) {
    std::byte* const bytes = resolve_lane(
        w, info, address_of(w, wide.op[address], at.wide_address, lane) + u64(wide.offset), lane);
    for (std::size_t k = 0; k < elements; ++k) {
      T old;
      std::memcpy(&old, bytes + k * sizeof(T), sizeof(T));
      const T fresh = combined<T, kOperation>(old, lanes<T>(w, wide.op[address + 1 + k])[lane]);
      std::memcpy(bytes + k * sizeof(T), &fresh, sizeof(T));
      if (kReturns) lanes<T>(w, wide.op[k])[lane] = old;
    }
  });
  ++w.worker->writes;
}

template <class T, Vector kOperation>
[[gnu::cold]] void bind_vector(Binding& b) {
  const bool returns = b.source.opcode == "atom";
  const std::size_t elements = std::size_t(b.counts[returns ? 2 : 1]);
  b.wide->detail = std::make_shared<Where>(where(b, returns ? elements : 0));
  b.wide->targets = {u32(elements)};
  b.out.all = b.out.some =
      returns ? &update_vector<T, kOperation, true> : &update_vector<T, kOperation, false>;
  b.out.site = b.new_site();
}

const std::string kOrder = "{.relaxed,.acquire,.release,.acq_rel}", kScope = "{.cta,.cluster,.gpu,.sys}";

template <class T, Vector kOperation>
[[gnu::cold]] void declare_vector(InstructionSet& defs, const std::string& operation) {
  const OperandSpec address{Role::address}, value{Role::read, type_of<T>(), 0},
      to{Role::write, type_of<T>(), 0};
  const OperandSpec policy{Role::ignored, ptx::Type::b64, 1, true};
  defs.custom("atom@90" + kOrder + kScope + "{.global}" + operation, {to, address, value, policy},
              &bind_vector<T, kOperation>)
      .wide = true;
  defs.custom("red@90{.relaxed,.release}" + kScope + "{.global}" + operation, {address, value, policy},
              &bind_vector<T, kOperation>)
      .wide = true;
}

template <class T>
[[gnu::cold]] void declare_halves(InstructionSet& defs, const std::string& type, const std::string& vectors) {
  const std::string tail = "{.L2::cache_hint}" + vectors + "." + type;
  declare_vector<T, Vector::add>(defs, ".add.noftz" + tail);
  declare_vector<T, Vector::min>(defs, ".min.noftz" + tail);
  declare_vector<T, Vector::max>(defs, ".max.noftz" + tail);
}

}  // namespace

void declare_wide_atomic(InstructionSet& defs) {
  defs.family("atomic");
  const OperandSpec to{Role::write, ptx::Type::b128}, from{Role::read, ptx::Type::b128},
      address{Role::address};
  const std::string space = "{.global,.shared,.shared::cta,.shared::cluster}";
  defs.custom("atom@90" + kOrder + kScope + space + ".exch.b128", {to, address, from}, &bind_exchange<false>)
      .wide = true;
  defs.custom("atom@90" + kOrder + kScope + space + ".cas.b128", {to, address, from, from},
              &bind_exchange<true>)
      .wide = true;
  declare_vector<f32, Vector::add>(defs, ".add{.L2::cache_hint}(.v2,.v4).f32");
  declare_halves<f16>(defs, "f16", "(.v2,.v4,.v8)");
  declare_halves<bf16>(defs, "bf16", "(.v2,.v4,.v8)");
  declare_halves<f16x2>(defs, "f16x2", "(.v2,.v4)");
  declare_halves<bf16x2>(defs, "bf16x2", "(.v2,.v4)");
}

}  // namespace sim::exec
