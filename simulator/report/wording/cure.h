// What usually mends a finding.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sim {

struct Finding;

/// A cure, and the names and numbers that its text needs.
struct Cure {
  enum Kind : std::uint8_t {
    none,  ///< not known
    // Bounds and addresses
    check_index,              ///< no comparison stands before the access
    correct_index,            ///< a comparison stands before it in the kernel, of this access or of another
    check_index_of,           ///< as check_index; operands: the element, the extent of its array
    correct_index_of,         ///< as correct_index, with the same operands
    index_of_fewer_bits,      ///< an address far outside of the shared or local memory it is made from
    index_or_larger_shared,   ///< shared memory
    give_shared_bytes,        ///< shared memory that the launch gives, where it gives none
    index_or_larger_array,    ///< local and constant memory
    aligned_address,          ///< of a wide access
    free_after_last_use,      ///< of memory used after cudaFree()
    keep_no_pointer,          ///< of an array of an earlier call
    set_pointer,              ///< an address far from all memory
    skip_empty_extents,       ///< a null pointer where an extent is 0
    enable_peer_access,       ///< operands: the device to reach, the device that reaches
    set_function_pointer,     ///< a call through a null pointer
    device_function_pointer,  ///< a call through an address that host code took
    cooperative_launch,       ///< a barrier of the grid in another launch
    define_device_function,   ///< a device function is declared and has no body
    texture_rows,             ///< memory that a texture cannot lie in
    // Values that nobody has written
    fill_buffer,                   ///< of global memory that nobody has written
    fill_buffer_before_copy,       ///< the same, brought by an asynchronous copy
    store_to_shared,               ///< of shared memory
    store_to_shared_or_leave_out,  ///< the same, behind a comparison
    rows_as_far_apart,             ///< the same, in a column of which no row has been written
    initialise_array,              ///< of a local array
    fill_fragment,                 ///< of wmma; operand: its name
    initialise_mbarrier,           ///< used before mbarrier.init
    initialise_variable,           ///< of a register
    written_arguments,             ///< within the toolkit's headers
    // Races of a launch
    block_barrier,                 ///< between threads of one block
    phase_or_block_barrier,        ///< a race of threads in a block that has mbarriers
    flag_or_block_barrier,         ///< a race of threads in a block whose threads wait for flags
    release_and_acquire,           ///< the same, between blocks
    block_or_warp_barrier,         ///< between lanes, where no block is larger than a warp
    barrier_or_warp_barrier,       ///< between lanes
    other_array_or_launch,         ///< a block overwrites what others read
    atomics_or_launches,           ///< between blocks
    atomic_read_modify_write,      ///< a read, a change and a store of one word
    lock_or_atomic,                ///< the same, in a kernel that may take locks
    atomic_everywhere,             ///< atomics beside plain accesses
    atomic_alone,                  ///< a plain read in the line of the atomic that changes the word
    initialise_before_launch,      ///< atomics of one block beside the store by which another one initialises
    element_each,                  ///< one line stores to one element from several threads of a block
    index_each,                    ///< one line stores to one element from two threads
    place_each_or_barrier,         ///< two lines store to one element
    index_each_or_atomic,          ///< the same, where the values that result are wrong
    separate_read_and_store,       ///< a statement reads what other threads store in it
    single_store,                  ///< several threads store one value
    device_scope,                  ///< an atomic of the block's scope meets other blocks
    system_scope,                  ///< an atomic of the device's scope on another device's memory
    documented_ranges,             ///< a race within the toolkit's headers
    wait_for_copy,                 ///< an asynchronous copy
    commit_copies,                 ///< the same, where no group has it yet
    wait_for_copies_at_end,        ///< the same, where its block has ended
    wait_for_phase,                ///< a bulk copy into shared memory
    wait_for_bulk_writes,          ///< a bulk copy into global memory
    wait_for_bulk_group,           ///< a bulk copy out of shared memory
    proxy_fence,                   ///< ordinary stores that a bulk copy reads
    wait_for_products,             ///< registers or shared memory of a wgmma that is under way
    commit_and_wait_for_products,  ///< the same, where its group is still open
    wait_for_products_and_barrier,  ///< shared memory that a wgmma may still read
    barrier_behind_products,        ///< the same, where the wait for it is there
    fence_registers,                ///< registers written before a wgmma
    block_fence,                    ///< a flag and its value, within a block
    device_fence,                   ///< a flag and its value, between blocks
    plain_load,                     ///< a read-only load of what the kernel writes
    // Races of streams and the host
    order_streams,                    ///< two streams
    wait_before_host_access,          ///< the host beside work under way
    wait_before_return,               ///< a function that returns while its work is under way
    wait_before_return_non_blocking,  ///< the same on a non-blocking stream
    stream_that_is_waited_for,        ///< work in the default stream of another device
    // Barriers and masks
    one_barrier_for_all,         ///< a mismatch of which nothing closer is known
    one_syncthreads,             ///< one barrier, reached at two places
    equal_barrier_counts,        ///< of one named barrier
    whole_warps,                 ///< a count that is no multiple of 32
    barrier_outside_branch,      ///< threads go round a barrier
    no_return_before_barrier,    ///< threads have returned before it
    all_reach_barrier,           ///< a deadlock at a barrier
    all_lanes_reach_call,        ///< a deadlock at a warp-wide operation
    mask_of_the_lanes,           ///< a mask of which nothing closer is known
    mask_before_branch,          ///< lanes of the mask go round the call
    no_return_before_call,       ///< lanes of the mask have returned before it
    warp_in_one_row,             ///< the same, of a block whose rows are shorter than a warp
    mask_by_intent,              ///< __activemask() names lanes by chance
    source_lane_in_block,        ///< a shuffle from a lane that the block does not have
    source_lane_in_mask,         ///< a shuffle from a lane outside the mask
    wait_after_arrival,          ///< the cluster's barrier: arrivals and waits do not take turns
    cluster_barrier_at_start,    ///< shared memory of a block that may not have started
    cluster_barrier_at_end,      ///< shared memory of a block that may have left
    cluster_barrier,             ///< between threads of two blocks of a cluster
    wait_for_bulk_reads_at_end,  ///< a bulk copy out of shared memory that is not waited for
    mbarrier_for_all,            ///< used before its initialisation is known to the thread
    parity_of_phase,             ///< a wait that a phase before ends
    whole_warpgroup,             ///< setmaxnreg by some of its warps
    registers_within_budget,     ///< setmaxnreg for more than there are
    // Descriptors of wgmma
    descriptor_of_box,  ///< operand: the fields that fit the box, and what they are
    swizzle_of_map,     ///< operand: the swizzle of the tensor map that fits the descriptor
    steps_within_box,   ///< the descriptor has been advanced past the end of a row
    same_order_of_k,    ///< A and B are read in two orders along k
    layout_of_box,      ///< no closer one is known
    // Hangs
    arrive_as_expected,      ///< a phase of an mbarrier that never ends
    too_many_arrivals,       ///< of an mbarrier
    wait_for_each_phase,     ///< of an mbarrier, that runs a turn ahead of who waits for it
    condition_that_changes,  ///< an endless loop
    condition_read_afresh,   ///< the same, of a kernel that polls no memory
    wider_number,            ///< an endless loop whose number has passed what an int holds
    load_before_launch,      ///< operands: the kernel first used, the one that waits for it
    two_launches,            ///< a block waits for one that starts after it
    // Configurations, copies and resources
    launch_within_limits,   ///< a configuration that cannot be
    copy_within_buffers,    ///< a copy, or a memset
    free_once,              ///< a free of what cannot be freed
    free_own_only,          ///< cudaDeviceReset()
    free_at_end,            ///< operand: the function that frees
    give_back_in_function,  ///< operand: the function that frees
  };

  Cure(Kind of = none, std::vector<std::string> with = {}) : kind(of), operands(std::move(with)) {}

  Kind kind;
  std::vector<std::string> operands;  ///< as many as the text has places for
};

/// The text of a cure, without the words "usual cure" and without a full stop; empty for none. English, by
/// which JSON names it.
std::string to_string(const Cure& cure);

/// The same in the language that is spoken.
std::string in_words(const Cure& cure);

/// The cure of that English text; none where there is no such cure.
Cure cure_named(const std::string& text);

/// What usually mends a finding of its kind, where whoever found it knew nothing closer; may be none.
Cure usual_cure(const Finding& finding);

}  // namespace sim
