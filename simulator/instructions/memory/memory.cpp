// ld and st of every space, type and vector width; cvta, prefetch and fences.
#include "simulator/engine/access/access.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"
#include "simulator/ptx/parse/parser.h"

namespace sim::exec {

namespace {

using ptx::Space;
using Shape = AccessPattern::Shape;

template <class T>
T read_bytes(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void write_bytes(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Addresses of any space and width, asked of the instruction.
struct Anywhere {
  static Space space(const Instr& in) { return space_addressed(in); }
  static ResolvedAccess locate(Warp& w, const AccessInfo& info, OperandRef address) {
    return exec::locate(w, info, lanes<std::byte>(w, address), has_wide_address(info.in), info.in.imm);
  }
};
/// Addresses of one kind, for accesses so frequent that they have code of their own.
template <Space kSpace, class A>
struct In {
  static Space space(const Instr&) { return kSpace; }
  SIM_INLINE static ResolvedAccess locate(Warp& w, const AccessInfo& info, OperandRef address) {
    return detail::resolve_access_in<kSpace, A>(w, info, lanes<A>(w, address), info.in.imm);
  }
};
using InGlobal = In<Space::global, u64>;
using InShared = In<Space::shared, u32>;

/// Loads V elements of type T per lane into registers of type R (sign- or zero-extended by T).
template <class Where, class T, class R, int V>
void load(Warp& w, const Instr& in) {
  R* to[V];
  for (int k = 0; k < V; ++k) to[k] = lanes<R>(w, in.op[k]);
  const AccessInfo info{in, Where::space(in), Access::read, sizeof(T) * V};
  const Mask mask = w.active;
  access_memory(
      w, info, Where::locate(w, info, in.op[V]),
      [&](const std::byte* host, const AccessPattern& p) {
        if (p.shape == Shape::contiguous) {
          const T* from = reinterpret_cast<const T*>(host);
          for (int k = 0; k < V; ++k) {
            R* const column = to[k];
            SIM_FOR_LANES(i) column[i] = R(from[i * V + k]);
          }
        } else if (p.shape == Shape::broadcast) {
          for (int k = 0; k < V; ++k) {
            const R value = R(read_bytes<T>(host + k * sizeof(T)));
            R* const column = to[k];
            SIM_FOR_LANES(i) column[i] = mask & kLaneBit[i] ? value : column[i];
          }
        } else if (p.mask == kAllLanes) {
          constexpr int kUnrolled = 8;  // a shorter loop's speed would hang on where it lies in the code
          for (int i = 0; i < kLanes; i += kUnrolled)
            for (int j = i; j < i + kUnrolled; ++j)
              for (int k = 0; k < V; ++k) to[k][j] = R(read_bytes<T>(host + p.offset[j] + k * sizeof(T)));
        } else {
          for_each_lane(mask, [&](int i) {
            for (int k = 0; k < V; ++k) to[k][i] = R(read_bytes<T>(host + p.offset[i] + k * sizeof(T)));
          });
        }
      },
      [&w, &in](const std::byte* host, int i) {  // not `to`, which would have to lie in memory for it
        for (int k = 0; k < V; ++k) lanes<R>(w, in.op[k])[i] = R(read_bytes<T>(host + k * sizeof(T)));
      });
}

template <class Where, class T, class R, int V>
void store(Warp& w, const Instr& in) {
  const R* from[V];
  for (int k = 0; k < V; ++k) from[k] = lanes<R>(w, in.op[1 + k]);
  AccessInfo info{in, Where::space(in), Access::write, sizeof(T) * V};
  const std::byte* columns[V];
  if (w.worker->observer != nullptr) [[unlikely]] {
    for (int k = 0; k < V; ++k) columns[k] = reinterpret_cast<const std::byte*>(from[k]);
    info.values = {columns, sizeof(R), sizeof(T)};
  }
  access_memory(
      w, info, Where::locate(w, info, in.op[0]),
      [&](std::byte* host, const AccessPattern& p) {
        if (p.shape == Shape::contiguous) {
          T* const to = reinterpret_cast<T*>(host);
          for (int k = 0; k < V; ++k) {
            const R* const column = from[k];
            SIM_FOR_LANES(i) to[i * V + k] = T(column[i]);
          }
        } else {
          for_each_lane(p.mask, [&](int i) {
            for (int k = 0; k < V; ++k) write_bytes(host + p.offset[i] + k * sizeof(T), T(from[k][i]));
          });
        }
      },
      [&w, &in](std::byte* host, int i) {
        for (int k = 0; k < V; ++k) write_bytes(host + k * sizeof(T), T(lanes<R>(w, in.op[1 + k])[i]));
      });
}

/// .param variables of device functions lie in the frame, each lane's bytes together.
template <class T, class R, int V>
void load_area(Warp& w, const Instr& in) {
  const std::byte* const area = w.bank[0] + in.imm;
  for_each_lane(w.active, [&](int i) {
    for (int k = 0; k < V; ++k)
      lanes<R>(w, in.op[k])[i] =
          R(read_bytes<T>(area + std::size_t(i) * in.site + std::size_t(k) * sizeof(T)));
  });
}
template <class T, class R, int V>
void store_area(Warp& w, const Instr& in) {
  std::byte* const area = w.bank[0] + in.imm;
  for_each_lane(w.active, [&](int i) {
    for (int k = 0; k < V; ++k)
      write_bytes(area + std::size_t(i) * in.site + std::size_t(k) * sizeof(T),
                  T(lanes<R>(w, in.op[1 + k])[i]));
  });
}

// Choosing the instance: type in memory, width of the register, vector length.

template <class T, class R, int V>
struct Load {
  template <class Where>
  static constexpr Handler from = &load<Where, T, R, V>;
  static constexpr Handler of_area = &load_area<T, R, V>;
};
template <class T, class R, int V>
struct Store {
  template <class Where>
  static constexpr Handler from = &store<Where, T, R, V>;
  static constexpr Handler of_area = &store_area<T, R, V>;
};

template <template <class, class, int> class Move, class T, class R, int V>
Handler of(bool in_area) {
  return in_area ? Move<T, R, V>::of_area : Move<T, R, V>::template from<Anywhere>;
}

/// The frequent accesses: words of registers as wide as they are. @return null for others
template <template <class, class, int> class Move, class Where>
[[gnu::cold]] Handler frequent(int bytes, int elements) {
  if (bytes == 4 && elements == 1) return Move<u32, u32, 1>::template from<Where>;
  if (bytes == 4 && elements == 2) return Move<u32, u32, 2>::template from<Where>;
  if (bytes == 4 && elements == 4) return Move<u32, u32, 4>::template from<Where>;
  if (bytes == 8 && elements == 1) return Move<u64, u64, 1>::template from<Where>;
  if (bytes == 8 && elements == 2) return Move<u64, u64, 2>::template from<Where>;
  return nullptr;
}

template <template <class, class, int> class Move, class T, int V>
[[gnu::cold]] Handler by_register(bool in_area, int register_bytes) {
  if (register_bytes == int(sizeof(T)) && sizeof(T) >= 2) return of<Move, T, T, V>(in_area);
  using Wide16 = std::conditional_t<std::is_signed_v<T>, s16, u16>;
  using Wide32 = std::conditional_t<std::is_signed_v<T>, s32, u32>;
  using Wide64 = std::conditional_t<std::is_signed_v<T>, s64, u64>;
  if constexpr (V <= 4 && sizeof(T) < 2) {
    if (register_bytes == 2) return of<Move, T, Wide16, V>(in_area);
  }
  if constexpr (V == 1 && sizeof(T) < 4) {
    if (register_bytes == 4) return of<Move, T, Wide32, V>(in_area);
  }
  if constexpr (V == 1 && sizeof(T) < 8) {
    if (register_bytes == 8) return of<Move, T, Wide64, V>(in_area);
  }
  return nullptr;
}

template <template <class, class, int> class Move, class T>
[[gnu::cold]] Handler by_vector(bool in_area, int register_bytes, int elements) {
  if (elements == 1) return by_register<Move, T, 1>(in_area, register_bytes);
  if (elements == 2) return by_register<Move, T, 2>(in_area, register_bytes);
  if constexpr (sizeof(T) <= 4) {
    if (elements == 4) return by_register<Move, T, 4>(in_area, register_bytes);
  }
  return nullptr;
}

template <template <class, class, int> class Move>
[[gnu::cold]] Handler by_type(const std::string& type, bool in_area, int register_bytes, int elements) {
  const auto pick = [&]<class T>(std::type_identity<T>) {
    return by_vector<Move, T>(in_area, register_bytes, elements);
  };
  if (type == "s8") return pick(std::type_identity<s8>());
  if (type == "u8" || type == "b8") return pick(std::type_identity<u8>());
  if (type == "s16") return pick(std::type_identity<s16>());
  if (type == "u16" || type == "b16" || type == "f16" || type == "bf16")
    return pick(std::type_identity<u16>());
  if (type == "s32" && register_bytes == 8) return pick(std::type_identity<s32>());
  if (type.substr(1) == "32" || type == "f16x2" || type == "bf16x2") return pick(std::type_identity<u32>());
  if (type.substr(1) == "64") return pick(std::type_identity<u64>());
  return nullptr;
}

Space space_written(const Binding& b) {
  if (b.has("shared") || b.has("shared::cta") || b.has("shared::cluster")) return Space::shared;
  if (b.has("local")) return Space::local;
  if (b.has("param") || b.has("param::func") || b.has("param::entry")) return Space::param;
  if (b.has("const")) return Space::constant;
  if (b.has("global")) return Space::global;
  return Space::generic;
}

template <template <class, class, int> class Move>
[[gnu::cold]] void bind_move(Binding& b, int data) {
  const Space space = space_written(b);
  const int elements = b.counts[std::size_t(data)];
  const std::size_t first = data == 0 ? 0 : 1, base = data == 0 ? std::size_t(elements) : 0;
  const bool in_frame = space == Space::param && b.stride != 0, wide = b.bytes[base] == 8;
  if (!in_frame && space != Space::shared && space != Space::local && !wide) return;
  const bool read_only = space == Space::param || space == Space::constant;
  if (!in_frame && read_only && data != 0) return;
  b.out.all = b.out.some = by_type<Move>(b.source.qualifiers.back(), in_frame, b.bytes[first], elements);
  b.out.op[kAddressing] = addressing(space, wide);
  const bool global = space == Space::global, narrow_shared = space == Space::shared && !wide;
  const std::optional<ptx::Type> type = ptx::type_named(b.source.qualifiers.back());
  const int bytes = type ? ptx::size_of(*type) : 0;
  if (b.out.all != nullptr && (global || narrow_shared) && bytes == b.bytes[first])
    if (const Handler h =
            global ? frequent<Move, InGlobal>(bytes, elements) : frequent<Move, InShared>(bytes, elements))
      b.out.all = b.out.some = h;
  b.out.site = in_frame ? b.stride : b.new_site();
}
[[gnu::cold]] void bind_load(Binding& b) { bind_move<Load>(b, 0); }
[[gnu::cold]] void bind_store(Binding& b) { bind_move<Store>(b, 1); }

/// cvta between an address in a space and the generic address of the same byte.
template <bool Masked>
void convert_address(Warp& w, const Instr& in) {
  const u64 window = u64(in.imm);
  const u64* from = lanes<u64>(w, in.op[1]);
  write_lanes<Masked>(lanes<u64>(w, in.op[0]), w.active, [&](int i) { return from[i] + window; });
}

[[gnu::cold]] void bind_convert_address(Binding& b) {
  const u64 window = b.has("local")   ? memory::kLocalWindow
                     : b.has("param") ? memory::kParamWindow
                                      : memory::kSharedWindow;
  b.out.imm = s64(b.has("to") ? u64(0) - window : window);
  b.out.all = &convert_address<false>;
  b.out.some = &convert_address<true>;
}

/// Ordinary accesses and those of bulk copies come by different ways; this orders them.
void proxy_fence(Warp& w, const Instr&) {
  if (w.worker->observer != nullptr) w.worker->observer->proxy_fence(w);
}

void fence(Warp& w, const Instr& in) {
  if (w.worker->observer != nullptr) w.worker->observer->fence(w, in);
}

}  // namespace

void declare_memory(InstructionSet& defs) {
  defs.family("memory");
  constexpr OperandSpec kData{Role::read, ptx::Type::none, 0}, kResult{Role::write, ptx::Type::none, 0};
  constexpr OperandSpec kAddress{Role::address};
  // A cache policy says nothing about results. Where none is written, the operand has no place.
  constexpr OperandSpec kPolicy{Role::ignored, ptx::Type::b64, 1, true};
#define SIM_TYPES "(.b8,.u8,.s8,.b16,.u16,.s16,.b32,.u32,.s32,.f32,.b64,.u64,.s64,.f64)"
  const std::string hints =
      "{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}"
      "{.L2::evict_last,.L2::evict_first,.L2::evict_normal}{.L2::cache_hint@80}";
  const std::string scope = "{.cta,.cluster@90,.gpu,.sys}";
  defs.custom("ld{.mmio}{.weak,.volatile,.relaxed,.acquire}" + scope +
                  "{.const,.global,.local,.param,.param::func,.param::entry,.shared,.shared::cta,"
                  ".shared::cluster@90}{.ca,.cg,.cs,.lu,.cv}{.nc}" +
                  hints + "{.L2::64B,.L2::128B,.L2::256B@80}{.v2,.v4}" SIM_TYPES,
              {kResult, kAddress, kPolicy}, &bind_load);
  defs.custom("ldu{.global}{.v2,.v4}" SIM_TYPES, {kResult, kAddress}, &bind_load);
  defs.custom("st{.mmio}{.weak,.volatile,.relaxed,.release}" + scope +
                  "{.global,.local,.param,.param::func,.shared,.shared::cta,.shared::cluster@90}"
                  "{.wb,.cg,.cs,.wt}" +
                  hints + "{.v2,.v4}" SIM_TYPES,
              {kAddress, kData, kPolicy}, &bind_store);

  defs.lanewise<Unary<u64>>("cvta(.global,.const).u64", [](u64 a) { return a; }).copies = true;
  defs.lanewise<Unary<u64>>("cvta.to(.global,.const).u64", [](u64 a) { return a; }).copies = true;
  constexpr OperandSpec kTo{Role::write, ptx::Type::u64}, kFrom{Role::read, ptx::Type::u64};
  defs.custom("cvta{.to}(.shared,.shared::cta,.shared::cluster@90,.local,.param).u64", {kTo, kFrom},
              &bind_convert_address);
  defs.lanewise<pred(u64)>("isspacep(.shared,.shared::cta)", [](u64 a) {
    return space_of(a) == Space::shared && a < memory::kSharedWindow + kRankStride;
  });
  defs.lanewise<pred(u64)>("isspacep.local", [](u64 a) { return space_of(a) == Space::local; });
  defs.lanewise<pred(u64)>("isspacep.global", [](u64 a) { return space_of(a) == Space::global; });

  defs.custom("prefetchu.L1", {kAddress}, &nothing, &nothing);
  defs.custom("discard@80{.global}.L2", {kAddress, {Role::read, ptx::Type::u32}}, &nothing, &nothing);
  // One host thread runs a block's accesses in program order, and the locks between host
  // threads order the rest.
  defs.custom("membar(.cta,.gl,.sys)", {}, &fence, &fence);
  defs.custom("fence{.sc,.acq_rel,.acquire@90,.release@90}{.cta,.cluster@90,.gpu,.sys}", {}, &fence, &fence);
  defs.custom("fence.proxy.async{.global,.shared::cta,.shared::cluster}", {}, &proxy_fence, &proxy_fence);
  defs.custom("fence.proxy.alias", {}, &nothing, &nothing);
  defs.custom("fence@90.mbarrier_init.release.cluster", {}, &fence, &fence);
#undef SIM_TYPES
}

}  // namespace sim::exec
