// Sentences and cures of races.
#include "simulator/sanitizer/race/race_findings.h"

#include <fmt/format.h>

#include "simulator/engine/access/access.h"
#include "simulator/memory/array_shape.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

/// Of one line that stores from several threads, in global memory or at the same moment: no barrier was
/// forgotten.
constexpr const char* kOneIndexEach =
    "an index of its own for each thread: at this line two of them store to one element. "
    "Where that is meant, an atomic, or a barrier between the two";

/// Of a statement that reads what other threads store to in the same statement, in global memory.
constexpr const char* kOneStatement =
    "store to another array than the one that is read; or read into a variable, then a __syncthreads() that "
    "all threads of the block reach, and store behind it, where no other block reads or stores there";

/// Of stores of one value by several threads.
constexpr const char* kOneStore = "none is needed; one thread that stores it, or an atomic, makes it no race";

/// Of an atomic of the block's scope that meets other blocks.
constexpr const char* kWiderScope =
    "an atomic of the device's scope, such as atomicAdd() for atomicAdd_block(), or "
    "cuda::thread_scope_device: one of the block's scope is atomic for the threads of its own block only";

/// Of a race that lies wholly in the toolkit's headers.
constexpr const char* kToolkit =
    "none where the call allows what it was given; ranges that overlap and indices that repeat are allowed "
    "only where its documentation says so";

/// Of an asynchronous copy.
constexpr const char* kWaitForCopy =
    "cp.async's wait (__pipeline_wait_prior, cuda::pipeline's consumer_wait) and a barrier before the data "
    "is used";

const char* cure_of_race(const Race& s) {
  if (s.read_modify_write)
    return "an atomic such as atomicAdd(): several threads read, change and write back one word, and one "
           "takes the other's change away";
  if (s.atomic && s.plain_store && !s.same_block)
    return "the word set before the launch, by cudaMemset() or a kernel of its own: __syncthreads() holds "
           "the threads of one block only";
  if (s.atomic)
    return "make every access to it that may meet another one atomic, or put a barrier between them";
  if (s.plain_stores && s.one_instruction && s.same_block)
    return "a place of its own for each thread or warp: this line stores to one element from several; where "
           "one is to come after the other, a barrier between the two";
  if (s.same_warp && s.in_shared && s.one_warp)
    return "__syncthreads() between the two accesses (or __syncwarp(), where no block is larger than one "
           "warp): the lanes of a warp do not go in step";
  if (s.same_warp && s.in_shared)
    return "__syncthreads() between the two accesses, or __syncwarp() where writer and reader are always of "
           "one warp: the lanes of a warp do not go in step";
  if (s.same_block) return kBlockCure;
  if (s.overwrites)
    return "another array to write to, or one launch after another: what this block overwrites, others may "
           "still have to read, and __syncthreads() does not order different blocks";
  return "atomics, or one kernel after another: __syncthreads() does not order different blocks. A flag that "
         "says \"my data is there\" needs __threadfence() before it is set";
}

/// The cure: the most special case comes first.
const char* choose_cure(const Finding& f, const Race& race) {
  if (race.in_toolkit)
    return kToolkit;  // it may order them by what one thread works out from another's value
  if (race.equal) return kOneStore;
  if (race.plain_stores && race.one_instruction && (!race.in_shared || race.same_epoch)) return kOneIndexEach;
  const bool read_and_written = (f.access == AccessKind::read && race.other.access == AccessKind::write) ||
                                (f.access == AccessKind::write && race.other.access == AccessKind::read);
  if (read_and_written && !race.pending && !race.in_shared && race.one_statement) return kOneStatement;
  if (!race.same_block && !race.pending && race.of_block) return kWiderScope;
  return race.pending ? kWaitForCopy : cure_of_race(race);
}

/// " of block (1,0,0)", where the two are of different blocks.
std::string in_block(bool same_block, const Index3& block) {
  return same_block ? "" : " of block " + text(block);
}

}  // namespace

void describe_operand(Finding& f, const LaunchContext& context, const WarpAccess& a, u64 offset) {
  f.space = a.in_shared ? MemorySpace::shared : MemorySpace::global;
  f.access = kind_of(a.seen.kind);
  f.size = a.seen.bytes;
  if (a.in_shared) {
    f.symbol = shared_name(context.code(), u32(offset), a.seen.bytes);
  } else if (const memory::Allocation* allocation = context.space.find(a.base)) {
    const memory::PlacedArray* const array = memory::array_near(a.base);
    if (array != nullptr && array->base == a.base)
      f.symbol = memory::element_name(array->shape, s64(offset));
    else
      f.in_buffer = BufferBytes{offset, allocation->name()};
  }
}

void render(Finding& f, const Race& race) {
  OtherParty other = race.other;
  if (race.lines.size() == 1) other.line = race.lines[0].line, other.file = race.lines[0].file;
  std::string there = race.lines.empty() ? place_beside(f, other.file, other.line) : "";
  for (const FindingCollector::Line& l : race.lines)
    there += (there.empty() ? "" : " or ") + place_beside(f, l.file, l.line);
  const char* const between = race.pending
                                  ? ", and the asynchronous copy that does so has not been waited for"
                              : race.same_warp  ? ", and no __syncwarp() or barrier lies between them"
                              : race.same_block ? ", and no barrier of the whole block lies between them"
                                                : ", and nothing orders the two blocks";
  f.message = Message("Thread {}{} {} {} at {}, thread {}{} {} it at line {}{}.", OtherThread{},
                      in_block(race.same_block, other.block), verb_of(other.access), named(f), there,
                      text(f.thread), in_block(race.same_block, f.block), verb_of(f.access), f.line, between);
  f.cure = choose_cure(f, race);
  if (race.equal) f.message += " Both store the same value, so the outcome does not depend on the order.";
  if (race.equal || race.in_toolkit) f.severity = Severity::note;
  f.other = std::move(other);
}

void render_unfenced(Finding& f, const OtherParty& other, bool same_block) {
  f.message = Message(
      "Thread {}{} writes {} at {} and then what thread {}{} waits for; that one reads it at line {}. "
      "Nothing orders the two writes for others: volatile keeps accesses, not their order.",
      OtherThread{}, in_block(same_block, other.block), named(f), place_beside(f, other.file, other.line),
      text(f.thread), in_block(same_block, f.block), f.line);
  f.cure =
      same_block
          ? "__threadfence_block() between the value and the flag and behind the wait, or __syncthreads()"
          : "__threadfence() between the value and the flag and behind the wait, or cuda::atomic_ref with "
            "release and acquire";
  f.other = other;
}

void render_read_only(Finding& f, const OtherParty& other) {
  f.message = Message(
      "Thread {} of block {} writes {} at {}, and thread {} of block {} reads it at line {} as data that "
      "no thread writes while the kernel runs (by __ldg() or a `const __restrict__` pointer): it may get "
      "the old value, whatever barrier lies between.",
      OtherThread{}, text(other.block), named(f), place_beside(f, other.file, other.line), text(f.thread),
      text(f.block), f.line);
  f.cure = "a plain load: no __ldg(), and no `const __restrict__`, for memory that the kernel writes";
  f.other = other;
}

}  // namespace sim::sanitizer
