// tex, tld4, suld and sust: reads through texture units, and typeless reads and writes of surfaces.
#include <fmt/format.h>

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/instructions/families.h"
#include "simulator/memory/mipmap.h"
#include "simulator/memory/texture.h"

namespace sim::exec {

namespace {

using memory::Geometry;
using memory::Texture;

/// What a texture or surface instruction does, from its name.
struct Unit {
  Geometry geometry = Geometry::plane;
  int coordinates = 2;
  bool layered = false;
  bool by_index = false;  ///< integer coordinates
  enum class Detail : u8 { none, level, gradients } detail = Detail::none;
  int detail_at = 0, second_at = 0;  ///< operands of the level, or of the two gradients
  int channel = 0;                   ///< tld4
  int elements = 4;                  ///< of the value moved
  int bytes = 4;                     ///< of each
  enum class Outside : u8 { trap, clamp, zero } outside = Outside::trap;
};

/// The object behind a lane's handle.
const Texture& object(Warp& w, const Instr& in, u64 handle, int lane, bool surface) {
  const memory::Textures* all = w.worker->launch.textures;
  const Texture* found = all == nullptr ? nullptr : all->find(handle);
  const char* what = surface ? "surface" : "texture";
  if (found == nullptr || found->surface != surface) {
    fail(w, in, lane, FindingKind::out_of_bounds, tr("The handle is no {} object.", what));
  }
  if (found->destroyed || found->image.memory->freed) {
    fail(w, in, lane, FindingKind::use_after_free,
         tr("The {} object, or the memory behind it, no longer exists.", what));
  }
  return *found;
}

/// Operands: results, [the predicate,] handle, [layer,] coordinates, whatever else.
/// The level of detail that a lane asks for.
f32 level_of(const Warp& w, const OperandRef* operands, const Unit& a, const Texture& t, int lane) {
  if (a.detail == Unit::Detail::level) return lanes<f32>(w, operands[a.detail_at])[lane];
  f32 dx[3] = {}, dy[3] = {};
  for (int k = 0; k < a.coordinates; ++k) {
    dx[k] = lanes<f32>(w, operands[a.detail_at + k])[lane];
    dy[k] = lanes<f32>(w, operands[a.second_at + k])[lane];
  }
  return memory::level_of_gradients(t, a.coordinates, dx, dy);
}

/// One lane's read at floating-point coordinates.
template <bool kGather>
memory::Texel sampled(const Warp& w, const OperandRef* operands, const OperandRef* at, const Unit& a,
                      const Texture& t, s64 layer, int lane) {
  f32 place[3] = {};
  for (int k = 0; k < a.coordinates; ++k) place[k] = lanes<f32>(w, at[k])[lane];
  if constexpr (kGather) return memory::gather(t, place, a.channel);
  if (t.smaller.empty()) return memory::sample(t, a.geometry, place, layer, a.layered);
  if (a.detail == Unit::Detail::none)
    return memory::sample_least_level(t, a.geometry, place, layer, a.layered);
  return memory::sample_level(t, a.geometry, place, layer, a.layered, level_of(w, operands, a, t, lane));
}

template <bool kGather>
void read_texture(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const Unit& a = *static_cast<const Unit*>(wide.detail.get());
  const OperandRef *to = wide.op.data(), *from = to + 5;
  const u64* handle = lanes<u64>(w, from[0]);
  const OperandRef* at = from + 1 + (a.layered ? 1 : 0);
  for_each_lane(w.active, [&](int lane) {
    const Texture& t = object(w, in, handle[lane], lane, false);
    const s64 layer = a.layered ? s64(lanes<u32>(w, from[1])[lane]) : 0;
    memory::Texel value;
    if (a.by_index) {
      s64 index[3] = {};
      for (int k = 0; k < a.coordinates; ++k) index[k] = lanes<s32>(w, at[k])[lane];
      value = memory::fetch(t, index, layer);
    } else {
      value = sampled<kGather>(w, to, at, a, t, layer, lane);
    }
    for (int k = 0; k < 4; ++k) lanes<u32>(w, to[k])[lane] = value.bits[std::size_t(k)];
  });
  predicate(w, to[4]) |= w.active;  // resident: nothing here is sparse
}

/// The bytes of one lane's access to a surface; null where the access does nothing.
std::byte* surface_bytes(Warp& w, const Instr& in, const Unit& a, const OperandRef* from, int lane) {
  const Texture& s = object(w, in, lanes<u64>(w, from[0])[lane], lane, true);
  const memory::Image& image = s.image;
  const OperandRef* at = from + 1 + (a.layered ? 1 : 0);
  const s64 size[3] = {s64(image.width), s64(image.height), s64(image.slices)};
  s64 place[3] = {};
  for (int k = 0; k < a.coordinates; ++k) place[k] = lanes<s32>(w, at[k])[lane];
  const s64 bytes = image.format.bytes();
  if (place[0] % (a.bytes * a.elements) != 0) {
    fail(w, in, lane, FindingKind::misaligned,
         tr("x of a surface access is in bytes: it must be a multiple of the size of the value."));
  }
  place[0] = place[0] >= 0 ? place[0] / bytes : -1;
  if (a.layered) place[2] = s64(lanes<u32>(w, from[1])[lane]);  // a negative layer is beyond the last
  const int axes = a.layered ? 3 : a.coordinates;
  for (int k = 0; k < axes; ++k) {
    if (place[k] >= 0 && place[k] < size[k]) continue;
    if (a.outside == Unit::Outside::zero) return nullptr;
    if (a.outside == Unit::Outside::trap) {
      fail(w, in, lane, FindingKind::out_of_bounds,
           tr("A surface access outside the surface: ") + std::string(1, "xyz"[k]) + " is " +
               std::to_string(place[k]) + tr(" (in texels) of ") + std::to_string(size[k]) +
               tr(". Is x in bytes, as surface functions want it?"));
    }
    place[k] = std::clamp<s64>(place[k], 0, size[k] - 1);
  }
  return image.at(u32(place[0]), u32(place[1]), u32(place[2]));
}

template <bool kStore, class T>
void access_surface(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const Unit& a = *static_cast<const Unit*>(wide.detail.get());
  using Register = std::conditional_t<sizeof(T) == 1, u16, T>;
  const int operands = int(wide.op.size()) - a.elements;
  const OperandRef* value = wide.op.data() + (kStore ? operands : 0);
  const OperandRef* from = wide.op.data() + (kStore ? 0 : a.elements);
  if (kStore) ++w.worker->writes;
  for_each_lane(w.active, [&](int lane) {
    std::byte* const at = surface_bytes(w, in, a, from, lane);
    for (int k = 0; k < a.elements; ++k) {
      Register* const reg = lanes<Register>(w, value[k]) + lane;
      T bits = kStore ? T(*reg) : T(0);
      if (at != nullptr) {
        if constexpr (kStore) {
          std::memcpy(at + std::size_t(k) * sizeof(T), &bits, sizeof(T));
        } else {
          std::memcpy(&bits, at + std::size_t(k) * sizeof(T), sizeof(T));
        }
      }
      if constexpr (!kStore) *reg = bits;
    }
  });
}

void name_geometry(const Binding& b, Unit& a) {
  const int which = b.which({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  static constexpr Geometry kGeometries[] = {Geometry::line, Geometry::plane, Geometry::volume,
                                             Geometry::line, Geometry::plane, Geometry::cube,
                                             Geometry::cube};
  static constexpr int kCoordinates[] = {1, 2, 3, 1, 2, 3, 3};
  a.geometry = kGeometries[which];
  a.coordinates = kCoordinates[which];
  a.layered = which == 3 || which == 4 || which == 6;
}

template <bool kGather>
[[gnu::cold]] void bind_texture(Binding& b) {
  auto a = std::make_shared<Unit>();
  name_geometry(b, *a);
  a->by_index = b.source.qualifiers.back() == "s32";
  if (b.has("level")) a->detail = Unit::Detail::level;
  if (b.has("grad")) a->detail = Unit::Detail::gradients;
  a->detail_at = b.counts[0] + b.counts[1];
  if (b.counts.size() > 2) a->second_at = a->detail_at + b.counts[2];
  if (a->detail == Unit::Detail::gradients && (b.counts[2] < a->coordinates || b.counts[3] < a->coordinates))
    return;
  a->channel = std::max(0, b.which({"r", "g", "b", "a"}));
  b.wide->detail = std::move(a);
  b.out.all = b.out.some = &read_texture<kGather>;
}

template <bool kStore, class T>
[[gnu::cold]] void bind_surface(Binding& b) {
  auto a = std::make_shared<Unit>();
  name_geometry(b, *a);
  a->elements = b.has("v4") ? 4 : b.has("v2") ? 2 : 1;
  a->bytes = int(sizeof(T));
  a->outside = Unit::Outside(b.which({"trap", "clamp", "zero"}));
  if (b.counts[kStore ? 1 : 0] != a->elements) return;
  b.wide->detail = std::move(a);
  b.out.all = b.out.some = &access_surface<kStore, T>;
}

template <class T>
[[gnu::cold]] void declare_surface(InstructionSet& defs, const std::string& type) {
  const std::string shape = "(.1d,.2d,.3d,.a1d,.a2d)",
                    tail = (sizeof(T) == 8 ? "{.v2}." : "{.v2,.v4}.") + type + "(.trap,.clamp,.zero)";
  const OperandSpec place{Role::read, ptx::Type::u32, 0, false, true};
  defs.custom("suld.b" + shape + "{.ca,.cg,.cs,.cv}" + tail, {{Role::write, type_of<T>(), 0}, place},
              &bind_surface<false, T>)
      .wide = true;
  defs.custom("sust.b" + shape + "{.wb,.cg,.cs,.wt}" + tail, {place, {Role::read, type_of<T>(), 0}},
              &bind_surface<true, T>)
      .wide = true;
}

}  // namespace

void declare_texture(InstructionSet& defs) {
  defs.family("texture");
  const OperandSpec result{Role::pair, ptx::Type::b32, 4}, place{Role::read, ptx::Type::none, 0};
  const OperandSpec more{Role::read, ptx::Type::f32, 0};
  const std::string shape = "(.1d,.2d,.3d,.a1d,.a2d,.cube,.acube)", flat = "(.1d,.2d,.3d,.a1d,.a2d)",
                    type = ".v4(.f32,.s32,.u32)";
  const auto texture = [&](const std::string& pattern, std::vector<OperandSpec> operands, Binder bind) {
    defs.custom(pattern, std::move(operands), bind).wide = true;
  };
  texture("tex" + shape + type + ".f32", {result, place}, &bind_texture<false>);
  texture("tex" + flat + type + ".s32", {result, place}, &bind_texture<false>);
  texture("tex.level" + shape + type + ".f32", {result, place, more}, &bind_texture<false>);
  texture("tex.grad" + flat + type + ".f32", {result, place, more, more}, &bind_texture<false>);
  texture("tld4(.r,.g,.b,.a).2d" + type + ".f32", {result, place}, &bind_texture<true>);
  declare_surface<u8>(defs, "b8");
  declare_surface<u16>(defs, "b16");
  declare_surface<u32>(defs, "b32");
  declare_surface<u64>(defs, "b64");
}

}  // namespace sim::exec
