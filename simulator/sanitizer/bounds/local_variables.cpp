#include "simulator/sanitizer/bounds/local_variables.h"

#include <fmt/format.h>

namespace sim::sanitizer {

namespace {

/// The frame that an offset in a thread's local memory lies in, of those that are running.
const Frame* frame_at(const Warp& w, u64 offset) {
  const Frame* f = w.frame;
  while (f != nullptr && offset < f->local_base) f = f->caller;
  return f;
}

}  // namespace

PlacedVariable local_at(const KernelAnalysis& analysis, const Warp& w, u64 offset) {
  const Frame* const f = frame_at(w, offset);
  if (f == nullptr) return {};
  const u64 inside = offset - f->local_base;
  for (const ptx::LocalVariable& v : analysis.locals_of(*f->function->source))
    if (inside >= v.offset && inside - v.offset < v.size) return {&v, f->local_base + v.offset};
  return {};
}

PlacedVariable local_left_behind(const KernelAnalysis& analysis, const Warp& w, u64 offset, u32 bytes) {
  const Frame* const f = frame_at(w, offset);
  if (f == nullptr) return {};
  const ptx::LocalVariable* const v = analysis.left_behind(*f->function, offset - f->local_base, bytes);
  return v == nullptr ? PlacedVariable{} : PlacedVariable{v, f->local_base + v->offset};
}

std::string element_name(const ptx::LocalVariable& v, s64 past) {
  if (v.element == v.size || v.element == 0) return v.name;
  return fmt::format("{}[{}]", v.name, (past < 0 ? past - s64(v.element) + 1 : past) / s64(v.element));
}

std::string local_name(const KernelAnalysis& analysis, const Warp& w, u64 offset) {
  const PlacedVariable at = local_at(analysis, w, offset);
  return at.variable == nullptr ? "" : element_name(*at.variable, s64(offset - at.start));
}

bool is_plain_local(const KernelAnalysis& analysis, const Warp& w, u64 offset) {
  const PlacedVariable at = local_at(analysis, w, offset);
  return at.variable != nullptr && at.variable->plain;
}

}  // namespace sim::sanitizer
