// Accesses that stay inside memory and leave the variable or buffer that they were meant for.
#include <fmt/format.h>

#include "simulator/engine/access/access.h"
#include "simulator/engine/access/outside.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {

/// Where an access that starts @p past bytes behind the start of something is, relative to it.
std::string where(s64 past, u64 size) {
  if (past < 0) return fmt::format("{} bytes before the start", -past);
  if (u64(past) == size) return "just past the end";
  if (u64(past) < size) return "across the end";
  return fmt::format("{} bytes past the end", u64(past) - size);
}

/// A variable that lies in the frame of a running function, and where it starts in the thread's local memory.
struct Placed {
  const ptx::LocalVariable* variable = nullptr;
  u64 start = 0;
};

/// The frame that an offset in a thread's local memory lies in, of those that are running.
const Frame* frame_at(const Warp& w, u64 offset) {
  const Frame* f = w.frame;
  while (f != nullptr && offset < f->local_base) f = f->caller;
  return f;
}

/// The variable with @p offset among its bytes; none where there is no such.
Placed local_at(const Plan& plan, const Warp& w, u64 offset) {
  const Frame* const f = frame_at(w, offset);
  if (f == nullptr) return {};
  const u64 inside = offset - f->local_base;
  for (const ptx::LocalVariable& v : plan.locals_of(*f->function->source))
    if (inside >= v.offset && inside - v.offset < v.size) return {&v, f->local_base + v.offset};
  return {};
}

/// The variable in whose room behind it some of the bytes lie; none where there is no such.
Placed left_behind(const Plan& plan, const Warp& w, u64 offset, u32 bytes) {
  const Frame* const f = frame_at(w, offset);
  if (f == nullptr) return {};
  const ptx::LocalVariable* const v = plan.left_behind(*f->function, offset - f->local_base, bytes);
  return v == nullptr ? Placed{} : Placed{v, f->local_base + v->offset};
}

std::string element_name(const ptx::LocalVariable& v, s64 past) {
  if (v.element == v.size || v.element == 0) return v.name;
  return fmt::format("{}[{}]", v.name, (past < 0 ? past - s64(v.element) + 1 : past) / s64(v.element));
}

}  // namespace

std::string local_name(const Plan& plan, const Warp& w, u64 offset) {
  const Placed at = local_at(plan, w, offset);
  return at.variable == nullptr ? "" : element_name(*at.variable, s64(offset - at.start));
}

bool is_plain_local(const Plan& plan, const Warp& w, u64 offset) {
  const Placed at = local_at(plan, w, offset);
  return at.variable != nullptr && at.variable->plain;
}

Mask Watch::check_local(Warp& w, const Seen& seen, u32 at) {
  const ptx::LocalVariable* const meant = plan_.semantics(at).in_toolkit ? nullptr : plan_.origin(at).local;
  const u64 low = seen.first + u64(seen.pattern.low), high = seen.first + u64(seen.pattern.high);
  /// The variable that an access leaves; none where all is well.
  const auto left = [&](u64 from) -> Placed {
    if (meant == nullptr) return left_behind(plan_, w, from, seen.bytes);
    const u64 start = w.frame->local_base + meant->offset;
    const bool inside = from >= start && from + seen.bytes - start <= meant->size;
    return inside ? Placed{} : Placed{meant, start};
  };
  const bool together = meant != nullptr || low == high;
  if (together && left(low).variable == nullptr && (low == high || left(high).variable == nullptr)) return 0;
  Mask outside_it = 0;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    const Placed p = left(from);
    if (p.variable == nullptr) return;
    outside_it |= kLaneBit[std::size_t(lane)];
    Finding* const f = outside(w, seen, at, lane);
    if (f == nullptr) return;
    const s64 past = s64(from - p.start);
    f->space = "local";
    f->symbol = element_name(*p.variable, past);
    f->message = Message("The thread {} {} bytes {} of its local {} {}, which has {} bytes.",
                             verb(seen.kind), seen.bytes, where(past, p.variable->size),
                             p.variable->element == p.variable->size ? "variable" : "array", p.variable->name,
                             p.variable->size);
  });
  return outside_it;
}

void Watch::check_shared(Warp& w, const Seen& seen, u32 at) {
  const PointerProvenance& origin = plan_.origin(at);
  const SharedVariable* meant =
      origin.kind == PointerProvenance::Kind::shared ? &plan_.code().shared[origin.index] : nullptr;
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (meant != nullptr ? low >= meant->offset && end - meant->offset <= meant->size
                       : plan_.in_one_variable(low, end))
    return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    const SharedVariable* v = meant;
    if (v == nullptr) v = plan_.beside(from);
    if (v == nullptr) v = plan_.beside(from + seen.bytes - 1);
    if (v == nullptr || (from >= v->offset && from + seen.bytes - v->offset <= v->size)) return;
    Finding* const f = outside(w, seen, at, lane);
    if (f == nullptr) return;
    f->space = "shared";
    const s64 past = s64(from) - s64(v->offset);
    const std::string name = source_name(v->name), there = shared_name(plan_.code(), u32(from), seen.bytes);
    f->symbol = fmt::format("{}[{}]", name, past / s64(seen.bytes));
    f->message =
        fmt::format("The thread {} {} bytes {} of {}, which has {} bytes{}.", verb(seen.kind), seen.bytes,
                    where(past, v->size), name, v->size, there.empty() ? "" : "; what it hits is " + there);
  });
}

void Watch::check_parameter(Warp& w, const Seen& seen, u32 at) {
  const PointerProvenance& origin = plan_.origin(at);
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (origin.index + 8 > launch_.params.size()) return;
  u64 pointer, base, size;
  std::memcpy(&pointer, launch_.params.data() + origin.index, sizeof pointer);
  const GlobalShadow* recent = global_of_instruction_[at];
  if (recent != nullptr && pointer - recent->base <= recent->size) {
    base = recent->base;
    size = recent->size;
  } else {
    const memory::Allocation* a = space_.find(pointer);
    if (a == nullptr || a->freed || pointer - a->base > a->size) return;
    base = a->base;
    size = a->size;
  }
  if (low >= base && end - base <= size) return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    if (from >= base && from + seen.bytes - base <= size) return;
    Finding* const f = outside(w, seen, at, lane);
    if (f == nullptr) return;
    f->space = "global";
    const memory::Allocation& meant_for = *space_.find(base);
    const memory::PlacedArray* const array = memory::array_near(base);
    if (array != nullptr && array->base == base) {
      f->symbol = memory::element_name(array->shape, s64(from - base));
      f->message = Message(
          "{} The address lies inside another buffer: {}.",
          outside_in_words(array->shape, f->thread, verb(seen.kind), seen.bytes, s64(from - base)),
          space_.describe(from).words);
      return;
    }
    f->message = Message(
        "The thread {} {} bytes {} of the buffer that the kernel was given ({} bytes, {}). The address lies "
        "inside another buffer: {}.",
        verb(seen.kind), seen.bytes, where(s64(from - base), size), size, meant_for.name(),
        space_.describe(from).words);
  });
}

Finding* Watch::outside(Warp& w, const Seen& seen, u32 at, int lane) {
  const Sighting s{Sighting::Kind::outside_variable, at, Sighting::kNobody, 0};
  if (seen.kind != Access::read) spoilt_ = true;
  if (collector_.again(s)) return nullptr;
  Finding& f = collector_.add(s, w, seen.in, lane);
  f.access = seen.kind == Access::read ? "read" : seen.kind == Access::write ? "write" : "atomic";
  f.size = seen.bytes;
  f.cure = cure_of_outside(plan_.code(), seen.in);
  return &f;
}

}  // namespace sim::sanitizer
