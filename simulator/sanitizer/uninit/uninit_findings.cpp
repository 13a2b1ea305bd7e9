// Sentences of uninitialized values.
#include "simulator/sanitizer/uninit/uninit_findings.h"

#include <fmt/format.h>

#include "simulator/engine/access/outside.h"
#include "simulator/sanitizer/bounds/local_variables.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

const char* words_of(Use use) {
  switch (use) {
    case Use::branch:
      return "decides a branch";
    case Use::address:
      return "is used as an address";
    case Use::store:
      return "is stored";
    case Use::atomic:
      return "is added to memory";
  }
  return "";
}

void render_shared(Finding& f, const Code& code, const Instr& in, u64 offset, bool unwritten_copy) {
  f.symbol = shared_name(code, u32(offset), f.size);
  const std::string what = f.symbol.empty() ? "shared memory" : f.symbol;
  if (unwritten_copy) {
    f.space = MemorySpace::global;
    f.message = Message(
        "The thread reads {}, which an asynchronous copy brought from global memory that nobody has "
        "written",
        what);
    f.cure = Cure::fill_buffer_before_copy;
    return;
  }
  f.message = Message("The thread reads {}, which no thread of the block has written", what);
  f.cure = exec::is_guarded(code, in) ? Cure::store_to_shared_or_leave_out : Cure::store_to_shared;
}

void render_local(Finding& f, const KernelAnalysis& analysis, const Warp& w, u64 offset) {
  f.symbol = local_name(analysis, w, offset);
  f.message = f.symbol.empty()
                  ? Message("The thread reads {} bytes of a local array that it has not written", f.size)
                  : Message("The thread reads its local {}, to which it has not written", f.symbol);
  f.cure = Cure::initialise_array;
}

void render_global(Finding& f, const memory::AddressSpace& space, u64 address) {
  const memory::Allocation* a = space.find(address);
  f.message = Message(
      "The thread reads {} bytes at offset {} of the buffer of {} bytes ({}), which nobody has written",
      f.size, a == nullptr ? 0 : address - a->base, a == nullptr ? 0 : a->size,
      a == nullptr ? Message::Operand("") : a->name());
  f.cure = Cure::fill_buffer;
}

}  // namespace

void render_unwritten(Finding& f, const LaunchContext& context, const Warp& w, const ObservedAccess& seen,
                      u64 offset, bool unwritten_copy) {
  if (seen.space == ptx::Space::shared)
    render_shared(f, context.code(), seen.in, offset, unwritten_copy);
  else if (seen.space == ptx::Space::local)
    render_local(f, context.analysis, w, offset);
  else
    render_global(f, context.space, offset);
}

void render_unwritten_register(Finding& f, const char* verb) {
  f.space = MemorySpace::local;
  f.access = AccessKind::read;
  f.message = Message("The thread {} a variable that was never given a value", verb);
  f.cure = Cure::initialise_variable;
}

void render_use(Finding& f, Use use, const std::string& file, int line) {
  f.message += line != f.line || file != f.file
                   ? Message("; at {} the value {}.", place_beside(f, file, line), words_of(use))
                   : Message("; the value {}.", words_of(use));
  // Library code reads one element too far to save a comparison, and leaves out what it has read.
  if (f.space == MemorySpace::shared && ptx::is_toolkit_file(f.file) && ptx::is_toolkit_file(file)) {
    f.severity = Severity::note;
    f.cure = Cure::written_arguments;
  }
}

void render_atomic(Finding& f) { f.message += ", and adds to it."; }

}  // namespace sim::sanitizer
