// What may run at the same time: work on different streams, and the host beside the device.
//
// The simulator executes work when it is submitted, so nothing ever overlaps here. On a GPU only what a
// stream, an event or a wait of the host orders is ordered. Every stream, every event and the host carry a
// vector clock: how much of each stream's work came before. Two pieces of work that touch the same bytes, one
// of them writing, must be ordered by it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sim::memory {
struct Allocation;
}
struct CUstream_st;
struct CUevent_st;

namespace sim::cudart {

struct Device;

/// How many operations of each stream, by its number, happen before.
using StreamVectorClock = std::map<std::uint64_t, std::uint64_t>;

/// An access of a piece of work to bytes of an allocation.
struct MemoryAccess {
  std::uint64_t address = 0, bytes = 0;
  bool writes = false;
  bool atomic = false;  ///< atomics do not race with each other
  /// By volatile accesses or atomics of the system's scope: the host may access it meanwhile.
  bool with_host = false;
};

/// An operation begins on a stream: it comes after what the stream, the default stream's rules and the host's
/// waits put before it.
void begin_operation(CUstream_st& stream);

/// Records an access of the operation that began last on the stream, and reports its races with earlier ones.
/// @param what  "kernel add_one" or the name of the API function
void record_access(CUstream_st& stream, const MemoryAccess& access, const std::string& what);

/// An event is recorded; a stream waits for one; the host has waited for one, for a stream, for everything.
void record_event(CUevent_st& event, CUstream_st& stream);
void wait_for_event(CUstream_st& stream, const CUevent_st& event);
void host_waited_for(const CUevent_st& event);
void host_waited_for(CUstream_st& stream);
void host_waited_for_all(const Device& device);

/// Whether there is anything that could overlap: other streams than the default one, or memory that host and
/// device share.
bool may_overlap();

/// Removes the recorded accesses of an allocation that was freed.
void forget(const memory::Allocation& allocation);

}  // namespace sim::cudart
