// Memory that a program and the simulator in another process share: slots for calls, and host-visible memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sim::remote {

/// Descriptors that both processes are started with: of the board, and of the memory behind kHostMemory.
inline constexpr int kBoardFd = 5;
inline constexpr int kHostMemoryFd = 6;

/// Addresses mean the same to both. The simulator gives out device memory from the first range, in which the
/// program can access nothing, and managed and page-locked memory from the second, which is one file in both.
/// Both lie where neither Linux's heaps and libraries nor the shadow of a sanitizer come.
inline constexpr std::uint64_t kDeviceMemory = 0x2000'0000'0000;
inline constexpr std::uint64_t kHostMemory = 0x3000'0000'0000;
inline constexpr std::uint64_t kDeviceRange = 1ull << 43;  ///< bytes of addresses
inline constexpr std::uint64_t kHostRange = 1ull << 40;

inline bool is_device_memory(const void* p) {
  return reinterpret_cast<std::uint64_t>(p) - kDeviceMemory < kDeviceRange;
}
inline bool is_host_visible(const void* p) {
  return reinterpret_cast<std::uint64_t>(p) - kHostMemory < kHostRange;
}

/// What a message in a slot is.
enum class Kind : std::uint32_t {
  call,      ///< to the simulator: a function of the API
  stage,     ///< to the simulator: bytes of pageable memory that the next call reads or writes
  fetch,     ///< to the simulator: bytes of it back, from an offset on
  resume,    ///< to the simulator: the callback has returned
  bye,       ///< to the simulator: this thread of the program ends
  done,      ///< to the program: the call's result, and what it has put out
  callback,  ///< to the program: call this function, then resume
};

/// A thread of the program talks to one of the simulator through a slot, in turns.
struct Slot {
  enum Turn : std::uint32_t { program, simulator };
  std::atomic<std::uint32_t> turn;   ///< whose; a futex
  std::atomic<std::uint32_t> taken;  ///< by a thread of the program
  Kind kind;
  std::uint32_t call;    ///< which function
  std::uint64_t result;  ///< its return value; of stage and fetch: the offset
  std::uint32_t bytes;   ///< of the payload
  std::uint32_t guards;  ///< of done: how many ranges of pages are to be guarded
  static constexpr std::size_t kHead = 64;
  static constexpr std::size_t kBytes = (1 << 20) - kHead;  ///< most of a payload
  alignas(kHead) std::byte payload[kBytes];
};
static_assert(sizeof(Slot) == 1 << 20);

struct Board {
  static constexpr std::size_t kSlots = 16;  ///< threads of the program that call at the same time
  Slot slots[kSlots];
};

/// Waits until it is @p whose turn.
/// @param lifeline  a socket: the process ends once its other side is closed, for then nobody may be left who
///                  could hand the slot over. -1: none
void await(Slot& slot, Slot::Turn whose, int lifeline = -1);
/// Hands the slot to the other side.
void pass(Slot& slot, Slot::Turn to);

/// Pageable memory that a call reads or writes. The simulator has a copy of it for as long as the call takes,
/// and puts the copy's address into the arguments.
struct Region {
  std::uint64_t bytes;
  std::uint32_t argument;  ///< where in the packed arguments its address stands
  std::uint32_t written;   ///< whether the call may write it
};
inline constexpr std::size_t kMostRegions = 2;

/// What precedes the packed arguments of a call.
struct CallHead {
  std::uint32_t regions;
  std::uint32_t argument_bytes;
  std::uint64_t caller;  ///< address of the call in the module's file, as the program says; 0: not known
  Region region[kMostRegions];
};

}  // namespace sim::remote
