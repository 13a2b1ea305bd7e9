// Sentences and cures of uninitialized values.
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
    f.cure = "cudaMemset() or cudaMemcpy() to all of the buffer before the kernel reads it";
    return;
  }
  f.message = Message("The thread reads {}, which no thread of the block has written", what);
  f.cure =
      exec::is_guarded(code, in)
          ? "store to it and wait for the store, or leave out this thread, which a comparison before the "
            "read or the store takes for another element: shared memory holds anything when a block starts"
          : "store to it and wait for the store: shared memory holds anything when a block starts";
}

void render_local(Finding& f, const KernelAnalysis& analysis, const Warp& w, u64 offset) {
  f.symbol = local_name(analysis, w, offset);
  f.message = f.symbol.empty()
                  ? Message("The thread reads {} bytes of a local array that it has not written", f.size)
                  : Message("The thread reads its local {}, to which it has not written", f.symbol);
  f.cure = "give every element a value first: float sum[4] = {};";
}

void render_global(Finding& f, const memory::AddressSpace& space, u64 address) {
  const memory::Allocation* a = space.find(address);
  f.message = Message(
      "The thread reads {} bytes at offset {} of the buffer of {} bytes ({}), which nobody has written",
      f.size, a == nullptr ? 0 : address - a->base, a == nullptr ? 0 : a->size,
      a == nullptr ? Message::Operand("") : a->name());
  f.cure = "cudaMemset() it, copy to it (all of it: sizes are in bytes), or let a kernel fill it first";
}

}  // namespace

void render_unwritten(Finding& f, const LaunchContext& context, const Warp& w, const Seen& seen, u64 offset,
                      bool unwritten_copy) {
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
  f.cure = "give the variable a value where it is declared";
}

void render_use(Finding& f, Use use, const std::string& file, int line) {
  f.message += line != f.line || file != f.file
                   ? Message("; at {} the value {}.", place_beside(f, file, line), words_of(use))
                   : Message("; the value {}.", words_of(use));
  // Library code reads one element too far to save a comparison, and leaves out what it has read.
  if (f.space == MemorySpace::shared && ptx::is_toolkit_file(f.file) && ptx::is_toolkit_file(file)) {
    f.severity = Severity::note;
    f.cure =
        "none where the shared memory is the toolkit's own; what the call was given has to be written before";
  }
}

void render_atomic(Finding& f) { f.message += ", and adds to it."; }

}  // namespace sim::sanitizer
