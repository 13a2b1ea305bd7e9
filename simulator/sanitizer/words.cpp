// Races and unwritten words, as sentences.
#include <fmt/format.h>

#include "simulator/engine/access/access.h"
#include "simulator/engine/fault.h"
#include "simulator/memory/array_shape.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {

const char* verb_of(const std::string& access) {
  return access == "read" ? "reads" : access == "write" ? "writes" : "updates";
}

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

/// How the two sides of a race lie to each other.
struct Sides {
  bool same_warp, same_block, shared;
  bool one_warp;    ///< the block has no more
  bool atomic;      ///< one of the two
  bool update;      ///< both belong to one `word += ...`
  bool store;       ///< one of them is a plain one
  bool overwrites;  ///< what the other has read
  bool one_line;    ///< both are stores of one line
};

const char* cure_of_race(const Sides& s) {
  if (s.update)
    return "an atomic such as atomicAdd(): several threads read, change and write back one word, and one "
           "takes "
           "the other's change away";
  if (s.atomic && s.store && !s.same_block)
    return "the word set before the launch, by cudaMemset() or a kernel of its own: __syncthreads() holds "
           "the "
           "threads of one block only";
  if (s.atomic)
    return "make every access to it that may meet another one atomic, or put a barrier between them";
  if (s.one_line && s.same_block)
    return "a place of its own for each thread or warp: this line stores to one element from several; where "
           "one is to come after the other, a barrier between the two";
  if (s.same_warp && s.shared && s.one_warp)
    return "__syncthreads() between the two accesses (or __syncwarp(), where no block is larger than one "
           "warp): the lanes of a warp do not go in step";
  if (s.same_warp && s.shared)
    return "__syncthreads() between the two accesses, or __syncwarp() where writer and reader are always of "
           "one warp: the lanes of a warp do not go in step";
  if (s.same_block) return kBlockCure;
  if (s.overwrites)
    return "another array to write to, or one launch after another: what this block overwrites, others may "
           "still have to read, and __syncthreads() does not order different blocks";
  return "atomics, or one kernel after another: __syncthreads() does not order different blocks. A flag that "
         "says \"my data "
         "is there\" needs __threadfence() before it is set";
}

/// Whether two instructions belong to one statement of the source, where nvcc says where it starts.
bool same_statement(const Code& code, u32 a, u32 b) {
  const ptx::Location &x = ptx::user_location(*code.module, code.sources[a]->location),
                      &y = ptx::user_location(*code.module, code.sources[b]->location);
  return code.module->debug && x.line > 0 && x.file == y.file && x.line == y.line && x.column == y.column;
}

}  // namespace

std::string text(const Index3& i) { return fmt::format("({},{},{})", i[0], i[1], i[2]); }

std::string named(const Finding& f) { return f.symbol.empty() ? "a word" : f.symbol; }

void Watch::describe_place(Finding& f, const Place& p, u64 offset) const {
  f.space = p.in_shared ? "shared" : "global";
  f.access = noun(p.seen.kind);
  f.size = p.seen.bytes;
  if (p.in_shared) {
    f.symbol = shared_name(plan_.code(), u32(offset), p.seen.bytes);
  } else if (const memory::Allocation* allocation = space_.find(p.base)) {
    const memory::PlacedArray* const array = memory::array_near(p.base);
    f.symbol = array != nullptr && array->base == p.base
                   ? memory::element_name(array->shape, s64(offset))
                   : fmt::format("byte {} of {} bytes from {}", offset, allocation->size, allocation->origin);
  }
}

void Watch::race(const Actor& a, const Place& p, u64 offset, int lane, bool writes, const Earlier& e,
                 bool earlier_writes) {
  const u32 other_at = e.at & kPlaceMask;
  const bool pending = (e.at & kPending) != 0;
  const bool other_atomic = (e.at & kStrong) != 0 && (e.at & kVolatile) == 0 && earlier_writes;
  const bool equal = writes && earlier_writes && p.seen.kind == Access::write && !other_atomic && !pending &&
                     stores_what_is_there(a, p, lane, e);
  const MemorySemantics& its = plan_.semantics(other_at);
  if (p.semantics.of_groups && its.of_groups) return;
  // A plain read beside atomics may be the guess of a compare-and-swap loop, which checks it.
  if ((p.semantics.guesses && other_atomic) ||
      (its.guesses && !earlier_writes && p.seen.kind == Access::atomic))
    return;
  const bool atomics = (p.seen.kind == Access::atomic) != other_atomic;
  const u32 me = a.first_thread + u32(lane), who = e.who == me && e.also != 0 ? e.also : e.who;
  const u32 threads = a.block.order.threads;
  const Index3 other_block = p.in_shared ? a.w.block->id : collector_.block_of(who / threads);
  const bool same_block = other_block == a.w.block->id, same_warp = same_block && who / kLanes == me / kLanes;
  const Sighting s{pending ? Sighting::Kind::pending_copy : Sighting::Kind::race, p.at, other_at, u8(equal),
                   u8(same_warp    ? 0
                      : same_block ? 1
                                   : 2)};
  if (collector_.again(s)) return;
  Finding& f = collector_.add(s, a.w, p.seen.in, lane);
  const std::vector<FindingCollector::Line> lines =
      collector_.lines_of(other_at);  // several: nobody noted which call it was
  const bool in_toolkit = lines.empty() && ptx::is_toolkit_file(f.file);
  describe_place(f, p, offset);
  OtherParty other;
  const Code& code = plan_.code();
  const std::string& opcode = code.sources[other_at]->opcode;
  other.access = !earlier_writes ? "read" : opcode == "atom" || opcode == "red" ? "atomic" : "write";
  if (lines.empty()) {  // the toolkit's, as this one
    Finding its_place;
    locate(its_place, *code.module, *code.sources[other_at]);
    const bool known = its_place.line > 0;
    other.line = known ? its_place.line : f.line, other.file = known ? its_place.file : f.file;
  }
  if (lines.size() == 1) other.line = lines[0].line, other.file = lines[0].file;
  other.block = other_block;
  other.thread = collector_.thread_of(who % threads);
  const std::string in_block = same_block ? "" : " of block " + text(other.block);
  const std::string between = pending     ? ", and the asynchronous copy that does so has not been waited for"
                              : same_warp ? ", and no __syncwarp() or barrier lies between them"
                              : same_block ? ", and no barrier of the whole block lies between them"
                                           : ", and nothing orders the two blocks";
  std::string there = lines.empty() ? place_beside(f, other.file, other.line) : "";
  for (const FindingCollector::Line& l : lines)
    there += (there.empty() ? "" : " or ") + place_beside(f, l.file, l.line);
  f.message = fmt::format("Thread {}{} {} {} at {}, thread {}{} {} it at line {}{}.", text(other.thread),
                          in_block, verb_of(other.access), named(f), there, text(f.thread),
                          same_block ? "" : " of block " + text(f.block), verb_of(f.access), f.line, between);
  const bool plain = p.seen.kind == Access::write && earlier_writes && !other_atomic && !pending;
  f.other = other;
  f.cure = pending ? "cp.async's wait (__pipeline_wait_prior, cuda::pipeline's consumer_wait) and a barrier "
                     "before the data "
                     "is used"
                   : cure_of_race({.same_warp = same_warp,
                                   .same_block = same_block,
                                   .shared = p.in_shared,
                                   .one_warp = threads <= u32(kLanes),
                                   .atomic = atomics,
                                   .update = plan_.one_update(p.at, other_at),
                                   .store = p.seen.kind == Access::write || other.access == "write",
                                   .overwrites = p.seen.kind == Access::write && !earlier_writes,
                                   .one_line = plain && p.at == other_at});
  if (!same_block && !pending && (p.semantics.of_block || its.of_block)) f.cure = kWiderScope;
  const bool read_and_written =
      (f.access == "read" && other.access == "write") || (f.access == "write" && other.access == "read");
  if (read_and_written && !pending && !p.in_shared && same_statement(code, p.at, other_at))
    f.cure = kOneStatement;
  if (plain && !equal && p.at == other_at && (!p.in_shared || e.when == order_.now())) f.cure = kOneIndexEach;
  if (equal) {
    f.severity = Severity::note;
    f.cure = kOneStore;
    f.message += " Both store the same value, so the outcome does not depend on the order.";
  }
  if (in_toolkit) {  // it may order them by what one thread works out from another's value
    f.severity = Severity::note;
    f.cure = kToolkit;
  }
}

}  // namespace sim::sanitizer
