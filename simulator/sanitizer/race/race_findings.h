// What the race detector has found, put into words.
#pragma once

#include <optional>
#include <vector>

#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

/// Two accesses that nothing orders, and how they lie to each other. The later one is the finding's own.
struct Race {
  OtherParty other{};                           ///< the earlier one
  std::vector<FindingCollector::Line> lines{};  ///< of the earlier one: several where nobody noted which call
                                                ///< it was; none in the toolkit's code
  bool in_shared = false;
  bool same_warp = false, same_block = false;
  bool one_warp = false;           ///< the block has no more
  bool one_instruction = false;    ///< both are accesses by it
  bool one_statement = false;      ///< of the source
  bool same_epoch = false;         ///< nothing has synchronised since the earlier one
  bool read_modify_write = false;  ///< both belong to one `word += ...`
  bool bulk = false;               ///< the earlier one is of a bulk copy
  bool combines_elements = false;  ///< which is one such as `s[i] += s[i + half]`
  bool pending = false;            ///< the earlier one is of an asynchronous copy that nobody has waited for
  bool uncommitted = false;        ///< and no group has it
  bool block_left = false;         ///< and its block has ended since
  std::optional<u32> later_groups{};  ///< groups that the thread of the copy has committed since
  bool next_round = false;  ///< the later one is of the next round of a loop; between the lines is a barrier
  std::optional<PassedWait> wait{};  ///< of the thread, for a phase before that in which the bulk copy comes
  bool atomic = false;               ///< one of the two
  bool plain_store = false;          ///< the one that is not atomic, if one is
  bool plain_stores = false;         ///< both
  bool equal = false;                ///< both store the same value
  bool overwrites = false;           ///< what the earlier one has read
  bool of_block = false;             ///< one of them is strong among the threads of its block only
  bool in_toolkit = false;           ///< neither is the user's
  bool exchanges = false;            ///< the kernel: it may take locks
  bool waits_for_flags = false;      ///< the kernel: by loops that do nothing else
  bool has_mbarriers = false;        ///< the block: its warps may have roles that no barrier of all joins
};

/// Space, access, size and symbol of the bytes at @p offset of the shadow.
void describe_operand(Finding& f, const LaunchContext& context, const WarpAccess& a, u64 offset);

void render(Finding& f, const Race& race);

/// A value that is handed over by volatile accesses without a fence. @param other  who wrote it
void render_unfenced(Finding& f, const OtherParty& other, bool same_block);

/// A store to what a bulk copy of @p other may still be reading.
void render_overwritten(Finding& f, const OtherParty& other);

/// A bulk copy, or a product, of what @p other has stored the ordinary way, with no fence between the
/// proxies.
void render_unfenced_proxy(Finding& f, const OtherParty& other, bool by_product);

/// A write to what the product of @p other may still be reading.
/// @param waited  somebody has waited for its group, and the writer does not come behind that
void render_overwritten_factor(Finding& f, const OtherParty& other, bool waited);

/// A copy out of shared memory whose block leaves before it has been waited for. @param committed  its group
void render_unwaited_copy(Finding& f, u32 bytes, bool committed);

/// A use of an mbarrier that @p other initialises, without order between the two.
/// @param own  it is the block's own; @param clustered  other blocks may reach it
void render_unready_mbarrier(Finding& f, const OtherParty& other, bool own, bool clustered);

/// An arrival in a phase of whose predecessor, which @p other ended, the thread does not know.
/// @param arrivals  of a phase; @param phase  that it counts in
void render_spare_arrival(Finding& f, const OtherParty& other, std::size_t arrivals, u64 phase);

/// A wait for @p phase by its parity, which the next phase may end before.
void render_missed_phase(Finding& f, u64 phase);

/// An access to the shared memory of a block of the cluster that may not have started.
void render_unstarted(Finding& f, const Index3& owner);

/// An access to the shared memory of a block of the cluster that may have left.
void render_ended(Finding& f, const Index3& owner);

/// An atomic, or its like, whose scope ends at the GPU, on memory of another one.
/// @param device, owner  numbers of the GPU that accesses it and of the other
void render_short_reach(Finding& f, int device, int owner, bool of_block);
/// A fence of its own GPU, before a store to the memory of device @p owner.
void render_short_fence(Finding& f, int device, int owner);

/// A load through the read-only cache of what @p other has written in the same launch.
void render_read_only(Finding& f, const OtherParty& other);

}  // namespace sim::sanitizer
