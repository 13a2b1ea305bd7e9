// Sentences of races.
#include "simulator/sanitizer/race/race_findings.h"

#include "language/catalogue.h"
#include "simulator/engine/access/access.h"
#include "simulator/memory/placed_arrays.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

Cure::Kind cure_of_race(const Race& s) {
  if (s.atomic && s.plain_store && !s.same_block) return Cure::initialise_before_launch;
  if (s.atomic) return Cure::atomic_everywhere;
  if (s.plain_stores && s.one_instruction && s.same_block && !s.combines_elements) return Cure::element_each;
  if (s.same_warp && s.in_shared && s.one_warp) return Cure::block_or_warp_barrier;
  if (s.same_warp && s.in_shared) return Cure::barrier_or_warp_barrier;
  if (s.same_block)
    return s.has_mbarriers     ? Cure::phase_or_block_barrier
           : s.waits_for_flags ? Cure::flag_or_block_barrier
                               : Cure::block_barrier;
  if (s.in_shared) return Cure::cluster_barrier;
  if (s.waits_for_flags) return Cure::release_and_acquire;
  if (s.overwrites) return Cure::other_array_or_launch;
  return Cure::atomics_or_launches;
}

/// The cure: the most special case comes first.
Cure::Kind choose_cure(const Finding& f, const Race& race) {
  if (race.in_toolkit)
    return Cure::documented_ranges;  // it may order them by what one thread works out from another's value
  // A step of a reduction: the elements are one thread's each, and wait for those of the step before.
  const bool step = race.combines_elements && race.same_block;
  if (race.read_modify_write && !race.pending && !step)
    return race.exchanges ? Cure::lock_or_atomic : Cure::atomic_read_modify_write;
  if (race.equal) return Cure::single_store;
  if (race.plain_stores && race.one_instruction && !step && (!race.in_shared || race.same_epoch))
    return Cure::index_each;
  if (race.plain_stores && !race.one_statement && race.in_shared && race.same_block && race.same_epoch)
    return Cure::place_each_or_barrier;
  const bool read_and_written = (f.access == AccessKind::read && race.other.access == AccessKind::write) ||
                                (f.access == AccessKind::write && race.other.access == AccessKind::read);
  const bool by_flags = race.waits_for_flags && !race.same_block;
  if (read_and_written && !race.pending && !race.in_shared && race.one_statement && !by_flags)
    return Cure::separate_read_and_store;
  if (!race.same_block && !race.pending && race.of_block) return Cure::device_scope;
  const bool reads = f.access == AccessKind::read || race.other.access == AccessKind::read;
  const bool one_line =
      race.lines.size() == 1 && race.lines[0].line == f.line && race.lines[0].file == f.file;
  if (race.atomic && reads && one_line && !race.pending) return Cure::atomic_alone;
  if (race.wait && race.wait->phase == 0) return Cure::parity_of_phase;
  if (race.pending && race.bulk) return race.in_shared ? Cure::wait_for_phase : Cure::wait_for_bulk_writes;
  if (race.block_left) return Cure::wait_for_copies_at_end;
  if (race.uncommitted) return Cure::commit_copies;
  return race.pending ? Cure::wait_for_copy : cure_of_race(race);
}

/// Why the copy of a race may still be under way.
Message copy_in_words(const Race& race) {
  if (race.uncommitted)
    return tr(
        ", and the asynchronous copy that does so is in no group yet: none has been committed behind it");
  Message words = tr(", and the asynchronous copy that does so has not been waited for");
  if (race.later_groups)
    words += Message(": its thread has committed {} group{} since, so a wait for it leaves {} under way",
                     *race.later_groups, *race.later_groups == 1 ? "" : "s",
                     *race.later_groups == 0 ? tr("none") : tr("no more than {}", *race.later_groups));
  return words;
}

/// " of block (1,0,0)", where the two are of different blocks.
std::string in_block(bool same_block, const Index3& block) {
  return same_block ? "" : tr(" of block {}", text(block));
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
      f.symbol = sim::element_name(array->shape, s64(offset));
    else
      f.in_buffer = BufferBytes{offset, allocation->name()};
  }
}

void render(Finding& f, const Race& race) {
  OtherParty other = race.other;
  if (race.lines.size() == 1) other.line = race.lines[0].line, other.file = race.lines[0].file;
  std::string there = race.lines.empty() ? place_beside(f, other.file, other.line) : "";
  for (const FindingCollector::Line& l : race.lines)
    there += (there.empty() ? "" : tr(" or ")) + place_beside(f, l.file, l.line);
  there += in_header(other.inside);
  const Message between = race.pending      ? copy_in_words(race)
                          : race.same_warp  ? tr(", and no __syncwarp() or barrier lies between them")
                          : race.same_block ? tr(", and no barrier of the whole block lies between them")
                                            : tr(", and nothing orders the two blocks");
  if (race.block_left)
    f.message = Message(
        "Block {} has ended while the asynchronous copy that its thread {} makes at {} was under way: it may "
        "still arrive in {}, which is block {}'s now, and thread {} {} it at line {}{}.",
        text(other.block), OtherThread{}, there, named(f), text(f.block), text(f.thread), verb_of(f.access),
        f.line, in_header(f.inside));
  else
    f.message =
        Message("Thread {}{} {} {} at {}, thread {}{} {} it at line {}{}{}{}.", OtherThread{},
                in_block(race.same_block, other.block), verb_of(other.access), named(f), there,
                text(f.thread), in_block(race.same_block, f.block), verb_of(f.access), f.line,
                in_header(f.inside), race.next_round ? tr(", in the next round of the loop") : "", between);
  if (race.wait && race.wait->phase == 0)
    f.message += Message(
        " The wait at line {} is for parity 1, which is over before any phase has ended: the copy comes in "
        "phase 0.",
        race.wait->line.line);
  else if (race.wait)
    f.message +=
        Message(" The wait at line {} was for phase {} (parity {}), and the copy comes in the next one.",
                race.wait->line.line, race.wait->phase - 1, (race.wait->phase - 1) % 2);
  f.cure = choose_cure(f, race);
  // Two updates may store the same value, for both have read the same: one of them is lost.
  const bool harmless = race.equal && !race.read_modify_write;
  if (harmless) f.message += tr(" Both store the same value, so the outcome does not depend on the order.");
  if (harmless || race.in_toolkit) f.severity = Severity::note;
  f.other = std::move(other);
}

void render_unfenced(Finding& f, const OtherParty& other, bool same_block) {
  f.message = Message(
      "Thread {}{} writes {} at {} and then what thread {}{} waits for; that one reads it at line {}. "
      "Nothing orders the two writes for others: volatile keeps accesses, not their order.",
      OtherThread{}, in_block(same_block, other.block), named(f), place_beside(f, other.file, other.line),
      text(f.thread), in_block(same_block, f.block), f.line);
  f.cure = same_block ? Cure::block_fence : Cure::device_fence;
  f.other = other;
}

void render_overwritten(Finding& f, const OtherParty& other) {
  f.message = Message(
      "Thread {} {} {} at line {} while the bulk copy that thread {} has made at {} may still be reading it: "
      "its "
      "group has not been waited for.",
      text(f.thread), verb_of(f.access), named(f), f.line, OtherThread{},
      place_beside(f, other.file, other.line));
  f.cure = Cure::wait_for_bulk_group;
  f.other = other;
}

void render_unfenced_proxy(Finding& f, const OtherParty& other, bool by_product) {
  const std::string there = place_beside(f, other.file, other.line);
  f.message =
      by_product
          ? Message(
                "The wgmma at line {} reads {}, which thread {} writes at {}: ordinary stores and wgmma take "
                "different ways to shared memory, and no fence.proxy.async lies between the two.",
                f.line, named(f), OtherThread{}, there)
          : Message(
                "The bulk copy that thread {} makes at line {} reads {}, which thread {} writes at {}: "
                "ordinary "
                "stores and bulk copies take different ways to memory, and no fence.proxy.async lies between "
                "the two.",
                text(f.thread), f.line, named(f), OtherThread{}, there);
  f.cure = Cure::proxy_fence;
  f.other = other;
}

void render_overwritten_factor(Finding& f, const OtherParty& other, bool waited) {
  f.message =
      Message("Thread {}{} {} {} at line {} while the wgmma at {} may still be reading it: {}.",
              text(f.thread), in_block(f.block == other.block, f.block), verb_of(f.access), named(f), f.line,
              place_beside(f, other.file, other.line),
              waited ? tr("its group has been waited for, and nothing orders that wait before the store")
                     : tr("its group has not been waited for"));
  f.cure = waited ? Cure::barrier_behind_products : Cure::wait_for_products_and_barrier;
  f.other = other;
}

void render_unwaited_copy(Finding& f, u32 bytes, bool committed) {
  f.message = Message(
      "The bulk copy that thread {} makes at line {} may still be reading {} ({} bytes) when the block "
      "leaves: its "
      "group has not been {}. Shared memory goes with the last thread of its block, and the next block's "
      "may be copied in its place.",
      text(f.thread), f.line, named(f), bytes,
      committed ? tr("waited for") : tr("committed, so nobody can wait for it"));
  f.cure = Cure::wait_for_bulk_reads_at_end;
}

void render_unready_mbarrier(Finding& f, const OtherParty& other, bool own, bool clustered) {
  f.message = Message(
      "Thread {}{} uses mbarrier {} at line {}, which thread {}{} initialises at {}, and nothing orders the "
      "two: it "
      "may find what lay there before.{}",
      text(f.thread), in_block(f.block == other.block, f.block), f.symbol, f.line, OtherThread{},
      in_block(f.block == other.block, other.block), place_beside(f, other.file, other.line),
      own || !clustered
          ? ""
          : tr(" A barrier of its own block does not wait for the other one: the cluster's does."));
  f.cure = Cure::mbarrier_for_all;
  f.other = other;
}

void render_spare_arrival(Finding& f, const OtherParty& other, std::size_t arrivals, u64 phase) {
  f.message = Message(
      "Thread {} arrives at mbarrier {} at line {} in phase {}, and does not know that thread {}, which "
      "arrives at "
      "{}, has ended phase {}: a phase has {} arrival{}. Either this one is more than the mbarrier is "
      "initialised "
      "for, or a wait is missing before it; it counts in one phase or the other by luck.",
      text(f.thread), f.symbol, f.line, phase, OtherThread{}, place_beside(f, other.file, other.line),
      phase - 1, arrivals, arrivals == 1 ? "" : "s");
  f.cure = Cure::too_many_arrivals;
  f.other = other;
}

void render_missed_phase(Finding& f, u64 phase) {
  f.message = Message(
      "Thread {} waits for phase {} of mbarrier {} by its parity at line {}, and nothing that phase {} needs "
      "comes "
      "behind this wait: where the thread is late, phase {} has ended, too, and it waits for one that may "
      "never end.",
      text(f.thread), phase, f.symbol, f.line, phase + 1, phase + 1);
  f.cure = Cure::wait_for_each_phase;
}

void render_unstarted(Finding& f, const Index3& owner) {
  f.message = Message(
      "Thread {} of block {} {} shared memory of block {} at line {} and has not waited for that block to "
      "start: until then its shared memory may be another block's.",
      text(f.thread), text(f.block), verb_of(f.access), text(owner), f.line);
  f.cure = Cure::cluster_barrier_at_start;
}

void render_ended(Finding& f, const Index3& owner) {
  f.message = Message(
      "Thread {} of block {} {} shared memory of block {} at line {}, and nothing keeps that block from "
      "leaving "
      "before: shared memory goes with the last thread of its block.",
      text(f.thread), text(f.block), verb_of(f.access), text(owner), f.line);
  f.cure = Cure::cluster_barrier_at_end;
}

void render_read_only(Finding& f, const OtherParty& other) {
  f.message = Message(
      "Thread {} of block {} writes {} at {}, and thread {} of block {} reads it at line {} as data that "
      "no thread writes while the kernel runs (by __ldg() or a `const __restrict__` pointer): it may get "
      "the old value, whatever barrier lies between.",
      OtherThread{}, text(other.block), named(f), place_beside(f, other.file, other.line), text(f.thread),
      text(f.block), f.line);
  f.cure = Cure::plain_load;
  f.other = other;
}

void render_short_reach(Finding& f, int device, int owner, bool of_block) {
  f.message = Message(
      "{} is in the memory of device {}, and thread {} of block {} on device {} accesses it with a "
      "scope that ends at its own {}: threads of device {} may see it late, or out of order with what goes "
      "with it.",
      named(f), owner, text(f.thread), text(f.block), device, of_block ? tr("block") : tr("GPU"), owner);
  f.cure = Cure::system_scope;
}

void render_short_fence(Finding& f, int device, int owner) {
  f.message = Message(
      "{} is in the memory of device {}, and thread {} of block {} on device {} writes it behind a fence "
      "that "
      "ends at its own GPU: threads of device {} may see it before what the fence was to put first.",
      named(f), owner, text(f.thread), text(f.block), device, owner);
  f.cure = Cure::system_scope;
}

}  // namespace sim::sanitizer
