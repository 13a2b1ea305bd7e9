#include "simulator/sanitizer/bounds/bounds_detector.h"

#include <cstring>

namespace sim::sanitizer {

Mask BoundsDetector::check_local(const Warp& w, const ObservedAccess& seen, u32 at) {
  const KernelAnalysis& analysis = context_.analysis;
  const ptx::LocalVariable* const meant =
      analysis.semantics(at).in_toolkit ? nullptr : analysis.provenance(at).local;
  const u64 low = seen.first + u64(seen.pattern.low), high = seen.first + u64(seen.pattern.high);
  /// The variable that an access leaves; none where all is well.
  const auto left = [&](u64 from) -> PlacedVariable {
    if (meant == nullptr) return local_left_behind(analysis, w, from, seen.bytes);
    const u64 start = w.frame->local_base + meant->offset;
    const bool inside = from >= start && from + seen.bytes - start <= meant->size;
    return inside ? PlacedVariable{} : PlacedVariable{meant, start};
  };
  const bool together = meant != nullptr || low == high;
  if (together && left(low).variable == nullptr && (low == high || left(high).variable == nullptr)) return 0;
  Mask outside = 0;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    const PlacedVariable p = left(from);
    if (p.variable == nullptr) return;
    outside |= kLaneBit[std::size_t(lane)];
    if (Finding* const f = found(w, seen, at, lane))
      render_outside_local(*f, seen.kind, *p.variable, s64(from - p.start));
  });
  return outside;
}

void BoundsDetector::check_shared(const Warp& w, const ObservedAccess& seen, u32 at) {
  const KernelAnalysis& analysis = context_.analysis;
  const PointerProvenance& origin = analysis.provenance(at);
  const SharedVariable* const meant =
      origin.kind == PointerProvenance::Kind::shared ? &context_.code().shared[origin.index] : nullptr;
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (meant != nullptr ? low >= meant->offset && end - meant->offset <= meant->size
                       : analysis.in_one_variable(low, end))
    return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    const SharedVariable* v = meant;
    if (v == nullptr) v = analysis.beside(from);
    if (v == nullptr) v = analysis.beside(from + seen.bytes - 1);
    if (v == nullptr || (from >= v->offset && from + seen.bytes - v->offset <= v->size)) return;
    if (Finding* const f = found(w, seen, at, lane))
      render_outside_shared(*f, context_.code(), seen.in, *v, s64(from));
  });
}

void BoundsDetector::check_parameter(const Warp& w, const ObservedAccess& seen, u32 at) {
  const PointerProvenance& origin = context_.analysis.provenance(at);
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (origin.index + 8 > context_.launch.params.size()) return;
  u64 pointer, base, size;
  std::memcpy(&pointer, context_.launch.params.data() + origin.index, sizeof pointer);
  const GlobalShadow* const last = context_.globals.last_of(at);
  if (last != nullptr && pointer - last->base <= last->size) {
    base = last->base;
    size = last->size;
  } else {
    const memory::Allocation* a = context_.space.find(pointer);
    if (a == nullptr || a->freed || pointer - a->base > a->size) return;
    base = a->base;
    size = a->size;
  }
  if (low >= base && end - base <= size) return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    if (from >= base && from + seen.bytes - base <= size) return;
    if (Finding* const f = found(w, seen, at, lane))
      render_outside_buffer(*f, context_.space, context_.code(), seen.in, base, from);
  });
}

void BoundsDetector::name_variable(exec::Fault& fault) const {
  if (fault.at == nullptr || fault.finding.kind != FindingKind::out_of_bounds ||
      fault.finding.space != MemorySpace::shared)
    return;
  const Code& code = context_.code();
  const PointerProvenance& origin = context_.analysis.provenance(code.index_of(*fault.at));
  const bool far_away = memory::is_far_from_window(fault.address);
  const bool known = origin.kind == PointerProvenance::Kind::shared;
  if (!known && (far_away || code.shared.size() != 1)) return;
  SharedVariable meant = code.shared[known ? origin.index : 0];
  if (meant.size == 0)  // dynamic
    meant.size = code.static_shared_bytes + context_.launch.dynamic_shared_bytes - meant.offset;
  const s64 offset = far_away ? s64(fault.address - memory::kSharedWindow) : s64(s32(fault.address));
  render_outside_shared(fault.finding, code, *fault.at, meant, offset);
}

void BoundsDetector::tell_whole(exec::Fault& fault) const {
  Finding& f = fault.finding;
  if (fault.at == nullptr || f.kind != FindingKind::misaligned) return;
  const Code& code = context_.code();
  const u32 whole = context_.analysis.widest_at(code.index_of(*fault.at));
  if (whole <= f.size) return;
  u64 part = 0;  // in the whole, bytes
  for (const ptx::Operand& operand : code.source_of(*fault.at).operands)
    if (const auto* const address = std::get_if<ptx::Address>(&operand.value))
      part = u64(address->offset) % whole;
  if ((fault.address - part) % whole == 0) return;
  f.size = whole;
  exec::describe_misaligned(f, context_.space, code, fault.address - part);
}

Finding* BoundsDetector::found(const Warp& w, const ObservedAccess& seen, u32 at, int lane) {
  const FindingKey s{FindingKey::Kind::outside_variable, at, FindingKey::kNobody, 0};
  if (seen.kind != Access::read) context_.store_missing = true;
  if (context_.collector.again(s)) return nullptr;
  Finding& f = context_.collector.add(s, w, seen.in, lane);
  f.access = exec::kind_of(seen.kind);
  f.size = seen.bytes;
  f.cure = exec::cure_of_outside(context_.code(), seen.in);
  return &f;
}

}  // namespace sim::sanitizer
