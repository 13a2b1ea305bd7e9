// Sentences of uninitialized values.
#include "simulator/sanitizer/uninit/uninit_findings.h"

#include <fmt/format.h>

#include "language/catalogue.h"
#include "simulator/engine/access/outside.h"
#include "simulator/sanitizer/bounds/local_variables.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

const char* words_of(Use use) {
  switch (use) {
    case Use::branch:
      return tr("decides a branch");
    case Use::address:
      return tr("is used as an address");
    case Use::store:
      return tr("is stored");
    case Use::atomic:
      return tr("is added to memory");
  }
  return "";
}

/// Whether no row of a two-dimensional array has been written where a byte lies in its row, and the byte's
/// own row has elsewhere: padding, and what is taken for it.
bool is_unwritten_column(const BlockOrder& owner, const Code& code, u64 offset) {
  const SharedVariable* const v = exec::find_shared(code, u32(offset));
  if (v == nullptr || v->type == nullptr || v->type->extents.size() < 2) return false;
  u64 row_bytes = v->type->element->size;
  for (std::size_t d = 1; d < v->type->extents.size(); ++d) row_bytes *= u64(v->type->extents[d]);
  const Shadow& s = owner.shared;
  const auto is_written = [&](u64 at) { return s.write_when[at >> s.shift()] > owner.start; };
  const u64 end = v->offset + v->size, row = offset - (offset - v->offset) % row_bytes;
  for (u64 at = v->offset + (offset - row); at < end; at += row_bytes)
    if (is_written(at)) return false;
  for (u64 at = row; at < row + row_bytes; at += u64{1} << s.shift())
    if (is_written(at)) return true;
  return false;
}

/// Whether an instruction is wmma's own, inlined or not.
bool is_of_fragments(const Code& code, const Instr& in) {
  const int location = code.source_of(in).location;
  if (location < 0) return false;
  const int file = code.module->locations[std::size_t(location)].file;
  return file > 0 && code.module->files[std::size_t(file)].find("/mma.h") != std::string::npos;
}

void render_shared(Finding& f, LaunchContext& context, const ObservedAccess& seen, u64 offset,
                   bool unwritten_copy) {
  const Code& code = context.code();
  f.symbol = shared_name(code, u32(offset), f.size);
  const std::string what = f.symbol.empty() ? tr("shared memory") : f.symbol;
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
  f.cure = is_unwritten_column(context.blocks.of(seen.owner), code, offset) ? Cure::rows_as_far_apart
           : exec::is_guarded(code, seen.in) ? Cure::store_to_shared_or_leave_out
                                             : Cure::store_to_shared;
}

void render_local(Finding& f, const KernelAnalysis& analysis, const Warp& w, const Instr& in, u64 offset) {
  f.symbol = local_name(analysis, w, offset);
  f.message = f.symbol.empty()
                  ? Message("The thread reads {} bytes of a local array that it has not written", f.size)
                  : Message("The thread reads its local {}, to which it has not written", f.symbol);
  f.cure = Cure::initialise_array;
  if (!f.symbol.empty() && is_of_fragments(analysis.code(), in)) f.cure = {Cure::fill_fragment, {f.symbol}};
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

void render_unwritten(Finding& f, LaunchContext& context, const Warp& w, const ObservedAccess& seen,
                      u64 offset, bool unwritten_copy) {
  if (seen.space == ptx::Space::shared)
    render_shared(f, context, seen, offset, unwritten_copy);
  else if (seen.space == ptx::Space::local)
    render_local(f, context.analysis, w, seen.in, offset);
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

void render_atomic(Finding& f) { f.message += tr(", and adds to it."); }

}  // namespace sim::sanitizer
