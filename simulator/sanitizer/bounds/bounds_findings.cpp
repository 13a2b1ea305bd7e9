// Sentences of accesses outside their variable.
#include "simulator/sanitizer/bounds/bounds_findings.h"

#include <fmt/format.h>

#include "language/catalogue.h"
#include "simulator/memory/placed_arrays.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

constexpr u32 kAllShared = 1 << 18;  ///< bytes; no block has more

/// Where an access that starts @p past bytes behind the start of something is, relative to it.
Message where(s64 past, u64 size) {
  if (past < 0) return Message("{} bytes before the start", -past);
  if (u64(past) == size) return tr("just past the end");
  if (u64(past) < size) return tr("across the end");
  return Message("{} bytes past the end", u64(past) - size);
}

}  // namespace

void render_outside_local(Finding& f, Access kind, const ptx::LocalVariable& v, s64 past) {
  f.space = MemorySpace::local;
  f.symbol = element_name(v, past);
  f.message =
      Message("The thread {} {} bytes {} of its local {} {}, which has {} bytes.", verb(kind), f.size,
              where(past, v.size), v.element == v.size ? tr("variable") : tr("array"), v.name, v.size);
}

void render_outside_shared(Finding& f, const Code& code, const Instr& in, const SharedVariable& v, s64 from) {
  f.space = MemorySpace::shared;
  const s64 past = from - s64(v.offset);
  if (v.size == 0) {
    f.symbol = source_name(v.name);
    f.message = Message(
        "The thread {} {} bytes of {}, which is as large as the launch says, and the launch asks for 0 bytes "
        "of dynamic shared memory.",
        verb_of(f.access), f.size, f.symbol);
    f.cure = Cure::give_shared_bytes;
    return;
  }
  const std::string name = source_name(v.name),
                    there = from < 0 || from > s64(kAllShared) ? "" : shared_name(code, u32(from), f.size);
  f.symbol = exec::element_name(v, past, f.size);
  f.message =
      Message("The thread {} {} bytes, {} of {}, which has {} bytes{}.", verb_of(f.access), f.size,
              where(past, v.size), name, v.size, there.empty() ? "" : tr("; what it hits is ") + there);
  f.cure = exec::cure_of_outside(code, in, f.symbol, exec::extent_in_words(v, f.size));
}

void render_outside_buffer(Finding& f, const memory::AddressSpace& space, const Code& code, const Instr& in,
                           u64 base, u64 from) {
  f.space = MemorySpace::global;
  const memory::Allocation& buffer = *space.find(base);
  const memory::PlacedArray* const array = memory::array_near(base);
  if (array != nullptr && array->base == base) {
    f.symbol = sim::element_name(array->shape, s64(from - base));
    f.message = Message("{} The address lies inside another buffer: {}.",
                        outside_in_words(array->shape, f.thread, verb_of(f.access), f.size, s64(from - base)),
                        space.describe(from).words);
    f.cure = exec::cure_of_outside(code, in, f.symbol, sim::extent_in_words(array->shape));
    return;
  }
  f.message = Message(
      "The thread {} {} bytes {} of the buffer that the kernel was given ({} bytes, {}). The address lies "
      "inside another buffer: {}.",
      verb_of(f.access), f.size, where(s64(from - base), buffer.size), buffer.size, buffer.name(),
      space.describe(from).words);
}

}  // namespace sim::sanitizer
