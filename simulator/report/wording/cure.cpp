#include "simulator/report/wording/cure.h"

#include <string_view>

#include "language/catalogue.h"
#include "simulator/report/finding.h"

namespace sim {
namespace {

constexpr int kCures = Cure::give_back_in_function + 1;
constexpr std::string_view kPlace = "%s";  // where an operand stands

const char* text_of(Cure::Kind kind) {
  switch (kind) {
    case Cure::none:
      return "";
    case Cure::check_index:
      return tr_noop("check the index against the number of elements before the access");
    case Cure::correct_index:
      return tr_noop(
          "work the index out for this thread: a guard of this access lets it through, so the formula of "
          "the index is wrong, or the bound, or it is another value that is compared; without a guard, it "
          "needs one");
    case Cure::check_index_of:
      return tr_noop("check the index of %s before the access: %s");
    case Cure::correct_index_of:
      return tr_noop(
          "correct the index of %s: %s, and a guard of this access lets it through, so the formula of the "
          "index is wrong, or the bound, or it is another value that is compared; without a guard, it "
          "needs "
          "one");
    case Cure::index_of_fewer_bits:
      return tr_noop(
          "an index that stays below the number of elements: take away the bits that are not wanted "
          "(x & 0xff for the lowest eight), and look where it may be negative or not set");
    case Cure::index_or_larger_shared:
      return tr_noop(
          "an index below the number of elements, or more of them: sizes of dynamic shared memory are "
          "in bytes, and it is the launch that gives them");
    case Cure::give_shared_bytes:
      return tr_noop(
          "the bytes of dynamic shared memory as the launch's third argument: kernel<<<blocks, threads, "
          "bytes>>>");
    case Cure::index_or_larger_array:
      return tr_noop("an index below the number of elements, or a larger array");
    case Cure::aligned_address:
      return tr_noop(
          "an address that is a multiple of the bytes accessed: wide types from aligned starts and in "
          "rows of whole multiples, or element by element");
    case Cure::free_after_last_use:
      return tr_noop("cudaFree() after the last kernel or copy that uses the memory");
    case Cure::keep_no_pointer:
      return tr_noop(
          "no pointer of an earlier call kept, in a static variable or a graph: its arrays are gone");
    case Cure::set_pointer:
      return tr_noop("give the kernel a pointer that cudaMalloc() has set, and check what it returned");
    case Cure::skip_empty_extents:
      return tr_noop(
          "launch nothing where an extent is 0, and guard every access, also that of the first element");
    case Cure::enable_peer_access:
      return tr_noop("cudaDeviceEnablePeerAccess(%s, 0) on device %s");
    case Cure::set_function_pointer:
      return tr_noop(
          "set the pointer to a __device__ function; where the source has no pointer, a __host__ "
          "__device__ function calls one of the host: nvcc's --expt-relaxed-constexpr, or the namesake "
          "in cuda::std");
    case Cure::device_function_pointer:
      return tr_noop(
          "take a function's address in device code, or copy it out with cudaMemcpyFromSymbol(): host "
          "code knows another one");
    case Cure::cooperative_launch:
      return tr_noop(
          "launch the kernel by cudaLaunchCooperativeKernel(), which sees to it that all blocks run at once");
    case Cure::define_device_function:
      return tr_noop(
          "where the body is in another .cu file, compile all of them with -rdc=true; else include it, "
          "or write it");
    case Cure::texture_rows:
      return tr_noop(
          "rows from cudaMallocPitch(), with the pitch that it gives, or an array of cudaMallocArray()");
    case Cure::fill_buffer:
      return tr_noop(
          "cudaMemset() it, copy to it (all of it: sizes are in bytes), or let a kernel fill it first");
    case Cure::fill_buffer_before_copy:
      return tr_noop("cudaMemset() or cudaMemcpy() to all of the buffer before the kernel reads it");
    case Cure::store_to_shared:
      return tr_noop("store to it and wait for the store: shared memory holds anything when a block starts");
    case Cure::store_to_shared_or_leave_out:
      return tr_noop(
          "store to it and wait for the store, or leave out this thread, which a comparison before the "
          "read "
          "or the store takes for another element: shared memory holds anything when a block starts");
    case Cure::rows_as_far_apart:
      return tr_noop(
          "the same distance from one row to the next where it is stored and where it is read: nothing "
          "has been stored in this column of any row, as if it were padding");
    case Cure::initialise_array:
      return tr_noop("give every element a value first: float sum[4] = {};");
    case Cure::fill_fragment:
      return tr_noop(
          "give the fragment its values first: wmma::fill_fragment(%s, 0.0f) for sums, "
          "wmma::load_matrix_sync() for factors");
    case Cure::initialise_variable:
      return tr_noop("give the variable a value where it is declared");
    case Cure::written_arguments:
      return tr_noop(
          "none where the shared memory is the toolkit's own; what the call was given has to be written "
          "before");
    case Cure::block_barrier:
      return tr_noop("__syncthreads() between the two accesses, where all threads of the block reach it");
    case Cure::phase_or_block_barrier:
      return tr_noop(
          "an arrival at an mbarrier behind the one access, and a wait for that phase before the other; "
          "where all threads of the block come by, __syncthreads() between the two");
    case Cure::flag_or_block_barrier:
      return tr_noop(
          "an order by the flag that is waited for: its store releases (cuda::memory_order_release, or "
          "__threadfence_block() before it), and its load acquires; where all threads of the block come by, "
          "__syncthreads() between the two accesses");
    case Cure::release_and_acquire:
      return tr_noop(
          "an order by the flag that is waited for: its store releases (cuda::memory_order_release, or "
          "__threadfence() before it), and its load acquires, in a scope that holds both threads; where no "
          "flag stands between the two, another array to write to, atomics, or one kernel after another");
    case Cure::block_or_warp_barrier:
      return tr_noop(
          "__syncthreads() between the two accesses (or __syncwarp(), where no block is larger than "
          "one warp): the lanes of a warp do not go in step");
    case Cure::barrier_or_warp_barrier:
      return tr_noop(
          "__syncthreads() between the two accesses, or __syncwarp() where writer and reader are "
          "always of one warp: the lanes of a warp do not go in step");
    case Cure::other_array_or_launch:
      return tr_noop(
          "another array to write to, or one launch after another: what this block overwrites, others "
          "may still have to read, and __syncthreads() does not order different blocks");
    case Cure::atomics_or_launches:
      return tr_noop(
          "atomics, or one kernel after another: __syncthreads() does not order different blocks. A "
          "flag that says \"my data is there\" needs __threadfence() before it is set");
    case Cure::atomic_read_modify_write:
      return tr_noop(
          "an atomic such as atomicAdd(): several threads read, change and write back one word, and "
          "one takes the other's change away");
    case Cure::lock_or_atomic:
      return tr_noop(
          "where a lock is to protect the word, an exchange that acquires takes it and a store that releases "
          "gives it back (cuda::memory_order_acquire and _release, or a __threadfence() behind the one and "
          "before the other); else an atomic such as atomicAdd()");
    case Cure::atomic_everywhere:
      return tr_noop(
          "a barrier between the two, where one initialises the word or takes its last value; else every "
          "access to it "
          "that may meet another one atomic");
    case Cure::atomic_alone:
      return tr_noop(
          "the atomic function without the plain read beside it, for it compares by itself; or a read "
          "that "
          "is atomic or volatile, where it is to save atomics");
    case Cure::initialise_before_launch:
      return tr_noop(
          "the word set before the launch, by cudaMemset() or a kernel of its own: __syncthreads() "
          "holds the threads of one block only");
    case Cure::element_each:
      return tr_noop(
          "a place of its own for each thread or warp: this line stores to one element from several; "
          "where one is to come after the other, a barrier between the two");
    case Cure::index_each:
      return tr_noop(
          "an index of its own for each thread: at this line two of them store to one element. Where "
          "that is meant, an atomic, or a barrier between the two");
    case Cure::place_each_or_barrier:
      return tr_noop(
          "where one is to overwrite the other, __syncthreads() between the two; else a place of its own "
          "for what each of the two lines stores, by a formula that is one-to-one and stays within its "
          "array");
    case Cure::index_each_or_atomic:
      return tr_noop(
          "an index of its own for each thread or block; where all of them add to one place, an atomic");
    case Cure::separate_read_and_store:
      return tr_noop(
          "store to another array than the one that is read; or read into a variable, then a "
          "__syncthreads() that all threads of the block reach, and store behind it, where no other "
          "block reads or stores there");
    case Cure::single_store:
      return tr_noop("none is needed; one thread that stores it, or an atomic, makes it no race");
    case Cure::device_scope:
      return tr_noop(
          "an atomic of the device's scope, such as atomicAdd() for atomicAdd_block(), or "
          "cuda::thread_scope_device: one of the block's scope is atomic for the threads of its own "
          "block only");
    case Cure::system_scope:
      return tr_noop(
          "cuda::thread_scope_system, or atomicAdd_system() for atomicAdd() and "
          "__threadfence_system() for __threadfence()");
    case Cure::documented_ranges:
      return tr_noop(
          "none where the call allows what it was given; ranges that overlap and indices that repeat "
          "are allowed only where its documentation says so");
    case Cure::wait_for_copy:
      return tr_noop(
          "a wait that leaves no more groups under way than may be (cp.async.wait_group, "
          "__pipeline_wait_prior, cuda::pipeline's consumer_wait) and a barrier before the data is used");
    case Cure::commit_copies:
      return tr_noop(
          "cp.async.commit_group (__pipeline_commit) behind the copies, by the thread that makes them: a "
          "wait for groups waits for what has been committed");
    case Cure::wait_for_copies_at_end:
      return tr_noop(
          "cp.async.wait_group 0 (__pipeline_wait_prior(0)) behind a thread's last copy, before it "
          "leaves");
    case Cure::block_fence:
      return tr_noop(
          "__threadfence_block() between the value and the flag and behind the wait, or __syncthreads()");
    case Cure::device_fence:
      return tr_noop(
          "__threadfence() between the value and the flag and behind the wait, or cuda::atomic_ref "
          "with release and acquire");
    case Cure::plain_load:
      return tr_noop(
          "a plain load: no __ldg(), and no `const __restrict__`, for memory that the kernel writes");
    case Cure::order_streams:
      return tr_noop(
          "cudaEventRecord() behind the first, then cudaStreamWaitEvent() before the second (an event "
          "that is not recorded yet is not waited for), or one stream for both");
    case Cure::wait_before_host_access:
      return tr_noop(
          "cudaDeviceSynchronize(), or cudaStreamSynchronize() of its stream, before the host touches "
          "the memory");
    case Cure::wait_before_return:
      return tr_noop(
          "cudaStreamSynchronize() on every stream that has work, or cudaDeviceSynchronize(), before "
          "the return: streams are not ordered among each other, the last to be given work need not "
          "end last");
    case Cure::wait_before_return_non_blocking:
      return tr_noop(
          "cudaStreamSynchronize() before the return, or an event behind the work that the default "
          "stream is told to wait for, or a stream of cudaStreamCreate(), which the default stream "
          "waits for by itself");
    case Cure::stream_that_is_waited_for:
      return tr_noop(
          "the stream that was given for that device, as the launch's fourth argument; or "
          "cudaDeviceSynchronize() "
          "with that device chosen");
    case Cure::one_barrier_for_all:
      return tr_noop("one barrier that all threads of the block reach, outside branches and loops");
    case Cure::one_syncthreads:
      return tr_noop("one __syncthreads() that all threads reach, outside the branch");
    case Cure::equal_barrier_counts:
      return tr_noop("the same number of threads at every use of one barrier");
    case Cure::whole_warps:
      return tr_noop("a count that is a multiple of 32, and whole warps that come to it");
    case Cure::barrier_outside_branch:
      return tr_noop(
          "__syncthreads() outside the branch or loop that only some threads take, and no early return "
          "above it: what these are not to do, a guard leaves out");
    case Cure::no_return_before_barrier:
      return tr_noop(
          "no return before a __syncthreads(): guard the work with an if and let every thread reach "
          "the barrier");
    case Cure::all_reach_barrier:
      return tr_noop(
          "every thread that a barrier waits for must reach it: move it out of the branch or loop that "
          "only some threads take");
    case Cure::all_lanes_reach_call:
      return tr_noop(
          "all lanes that the mask names must come to this call: move it out of the branch or loop "
          "that some of them do not take, or name only those that do");
    case Cure::mask_of_the_lanes:
      return tr_noop("a mask of exactly the lanes that come to the call, made before they part");
    case Cure::mask_before_branch:
      return tr_noop(
          "call it outside the branch, where all lanes of the mask come by, or make the mask before "
          "the branch with __ballot_sync() of those that take it");
    case Cure::no_return_before_call:
      return tr_noop(
          "let all lanes of the mask reach the call: no return before it, or a mask from "
          "__ballot_sync() of those that stay");
    case Cure::warp_in_one_row:
      return tr_noop(
          "a block whose x is a multiple of 32, such as dim3(32, rows), so that the lanes of a warp have "
          "one threadIdx.y and leave together; or no return before the call");
    case Cure::mask_by_intent:
      return tr_noop(
          "a mask that says who has to come: 0xffffffff where all lanes do, or __ballot_sync() of "
          "those who will, before the branch");
    case Cure::source_lane_in_block:
      return tr_noop("as many threads as the shuffle reads from, or a width that the block fills");
    case Cure::source_lane_in_mask:
      return tr_noop("shuffle from a lane of the mask only");
    case Cure::condition_that_changes:
      return tr_noop(
          "a condition that is sure to change: by the loop itself, or by a thread that can get on");
    case Cure::condition_read_afresh:
      return tr_noop(
          "a condition that is sure to change. Where another thread or the host changes it in memory, "
          "read it by volatile or atomic accesses: a plain variable the compiler may read once, before "
          "the loop");
    case Cure::wider_number:
      return tr_noop(
          "a type that holds every number on the way, such as long long with 64 bits, in the parameters "
          "as in the variables");
    case Cure::load_before_launch:
      return tr_noop(
          "use %s once before %s is launched, for instance by cudaFuncGetAttributes(), or set "
          "CUDA_MODULE_LOADING=EAGER in the environment");
    case Cure::wait_for_phase:
      return tr_noop(
          "a wait for the phase of the mbarrier that counts the copy's bytes (mbarrier.try_wait with that "
          "phase's parity, cuda::barrier's wait()) before the data is used");
    case Cure::wait_for_bulk_writes:
      return tr_noop(
          "cp.async.bulk.commit_group and cp.async.bulk.wait_group (without .read) by the thread that "
          "made the "
          "copy, and a barrier, before the data is used");
    case Cure::wait_for_bulk_group:
      return tr_noop(
          "cp.async.bulk.commit_group and cp.async.bulk.wait_group.read by the thread that made the copy, "
          "and a "
          "barrier, before the store");
    case Cure::proxy_fence:
      return tr_noop("fence.proxy.async by the threads that store, then a barrier, then the copy");
    case Cure::wait_for_products:
      return tr_noop(
          "wgmma.wait_group 0 before the use, or the number of groups behind that may still be under way");
    case Cure::commit_and_wait_for_products:
      return tr_noop("wgmma.commit_group behind the products, and wgmma.wait_group 0 before the use");
    case Cure::wait_for_products_and_barrier:
      return tr_noop(
          "wgmma.wait_group by the warps that multiply, then a barrier or an arrival at an mbarrier for "
          "which "
          "the writer waits, before the tile is overwritten");
    case Cure::barrier_behind_products:
      return tr_noop(
          "a barrier behind wgmma.wait_group, or an arrival at an mbarrier for which the writer waits, "
          "before "
          "the tile is overwritten");
    case Cure::fence_registers:
      return tr_noop(
          "wgmma.fence behind the last write to accumulators and fragments of A, before the first wgmma "
          "that uses them");
    case Cure::initialise_mbarrier:
      return tr_noop(
          "mbarrier.init by one thread and a barrier (of the cluster, where other blocks use it) before "
          "its first "
          "use");
    case Cure::wait_for_bulk_reads_at_end:
      return tr_noop(
          "cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0 by the thread that made the "
          "copy, "
          "before it leaves");
    case Cure::mbarrier_for_all:
      return tr_noop(
          "between mbarrier.init and the first use a barrier that both threads reach: __syncthreads() "
          "within a "
          "block; fence.mbarrier_init and cluster.sync() where other blocks use it");
    case Cure::parity_of_phase:
      return tr_noop(
          "a wait for the parity of the phase that is meant: in a ring of n stages that of turn k at a "
          "full "
          "barrier is k / n % 2, and at an empty one the other");
    case Cure::whole_warpgroup:
      return tr_noop(
          "setmaxnreg by all four warps of a warpgroup: roles that differ in registers are whole "
          "warpgroups");
    case Cure::registers_within_budget:
      return tr_noop(
          "setmaxnreg.dec by the warpgroups that need fewer, and counts whose sum over all warps is no "
          "more "
          "than the block was launched with");
    case Cure::descriptor_of_box:
      return tr_noop("a descriptor with %s: that reads the box as it was written");
    case Cure::swizzle_of_map:
      return tr_noop("a tensor map with %s: it writes the box as the descriptor reads it");
    case Cure::steps_within_box:
      return tr_noop(
          "a step of 32 bytes along k from one product to the next, as many steps as a row of the box "
          "has, "
          "and then the next box");
    case Cure::same_order_of_k:
      return tr_noop("the same order along k in the descriptors of A and of B");
    case Cure::layout_of_box:
      return tr_noop(
          "the swizzle of the tensor map in the descriptor, and as stride and leading offsets the bytes "
          "from "
          "one group of eight rows to the next and from one group of columns to the next");
    case Cure::arrive_as_expected:
      return tr_noop(
          "in each phase as many arrivals as the mbarrier was initialised with and as many bytes as were "
          "announced, and waits for the parity of the phase that is meant: 0, 1, 0 ...");
    case Cure::too_many_arrivals:
      return tr_noop(
          "initialise the mbarrier with the number of arrivals of a phase, and wait for the phase before "
          "the "
          "next arrival");
    case Cure::wait_for_each_phase:
      return tr_noop(
          "arrive for the next phase only behind what the waiting thread does next: a stage is freed by "
          "those who have "
          "used it, once it has been filled again");
    case Cure::wait_after_arrival:
      return tr_noop(
          "let each arrival at the cluster's barrier be followed by one wait, or call cluster.sync()");
    case Cure::cluster_barrier_at_start:
      return tr_noop("cluster.sync() before the first access to another block's shared memory");
    case Cure::cluster_barrier_at_end:
      return tr_noop(
          "cluster.sync() behind the last access to another block's shared memory, so that none leaves "
          "before");
    case Cure::cluster_barrier:
      return tr_noop("cluster.sync() between the two");
    case Cure::two_launches:
      return tr_noop(
          "two launches in place of a barrier of the whole grid, or a cooperative launch with "
          "grid.sync(); where a block waits for those before it, it draws its number from an atomic "
          "counter when it starts");
    case Cure::launch_within_limits:
      return tr_noop("a configuration within the device's limits");
    case Cure::copy_within_buffers:
      return tr_noop(
          "sizes in bytes and within both buffers, destination first, and the kind that says which way");
    case Cure::free_once:
      return tr_noop(
          "free once, with the function that goes with the allocation, the pointer that it returned");
    case Cure::free_own_only:
      return tr_noop("free what the function itself has allocated, and nothing else");
    case Cure::free_at_end:
      return tr_noop("%s after the last use, on every way out");
    case Cure::give_back_in_function:
      return tr_noop("%s after the last use, on every way out of the function");
  }
  return "";
}

/// Reads the operands out of a text that is made of another one with places for them.
/// @return whether it is
bool read_operands(std::string_view format, std::string_view text, std::vector<std::string>& operands) {
  for (;;) {
    const std::size_t place = format.find(kPlace);
    if (place == std::string_view::npos) return text == format;
    if (!text.starts_with(format.substr(0, place))) return false;
    text.remove_prefix(place);
    format.remove_prefix(place + kPlace.size());
    const std::string_view next = format.substr(0, format.find(kPlace));
    const std::size_t end = next.empty() ? text.size() : text.find(next);
    if (end == std::string_view::npos) return false;
    operands.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Puts the operands where a text has "%s", or "%2$s" for the second.
std::string with_operands(std::string text, const Cure& cure) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < cure.operands.size(); ++i) {
    std::string mark = "%" + std::to_string(i + 1) + "$s";
    std::size_t at = text.find(mark);
    if (at == std::string::npos) {
      mark = kPlace;
      at = text.find(mark, place);
    }
    if (at == std::string::npos) break;
    text.replace(at, mark.size(), cure.operands[i]);
    place = at + cure.operands[i].size();
  }
  return text;
}

Cure::Kind out_of_bounds_in(MemorySpace space) {
  switch (space) {
    case MemorySpace::shared:
      return Cure::index_or_larger_shared;
    case MemorySpace::local:
    case MemorySpace::constant:
      return Cure::index_or_larger_array;
    case MemorySpace::none:
    case MemorySpace::global:
    case MemorySpace::host:
      return Cure::check_index;
  }
  return Cure::check_index;
}

}  // namespace

std::string to_string(const Cure& cure) { return with_operands(text_of(cure.kind), cure); }

std::string in_words(const Cure& cure) {
  return cure.kind == Cure::none ? "" : with_operands(tr(text_of(cure.kind)), cure);
}

Cure cure_named(const std::string& text) {
  for (int i = 0; i < kCures; ++i) {
    Cure cure = Cure::Kind(i);
    if (read_operands(text_of(cure.kind), text, cure.operands)) return cure;
  }
  return Cure::none;
}

Cure usual_cure(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::out_of_bounds:
      return out_of_bounds_in(finding.space);
    case FindingKind::use_after_free:
      return Cure::free_after_last_use;
    case FindingKind::misaligned:
      return Cure::aligned_address;
    case FindingKind::hang:
      return Cure::condition_that_changes;
    case FindingKind::barrier:
      return Cure::one_barrier_for_all;
    case FindingKind::mask:
      return Cure::mask_of_the_lanes;
    case FindingKind::launch:
      return Cure::launch_within_limits;
    case FindingKind::memcpy:
      return Cure::copy_within_buffers;
    case FindingKind::free:
      return Cure::free_once;
    case FindingKind::race:
    case FindingKind::uninitialized:
    case FindingKind::assert:
    case FindingKind::trap:
    case FindingKind::illegal_instruction:
    case FindingKind::leak:
    case FindingKind::texture:
    case FindingKind::descriptor:
    case FindingKind::stored_again:
    case FindingKind::waits:
    case FindingKind::unsupported:
      return Cure::none;
  }
  return Cure::none;
}

}  // namespace sim
