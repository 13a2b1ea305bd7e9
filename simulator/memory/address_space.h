// Device memory: allocations with redzones, at addresses that host code cannot dereference by accident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulator/report/message.h"

namespace sim::memory {

enum class Kind : std::uint8_t { device, managed, pinned, symbol };

/// One allocation. Never moves; outlives its free() so that a late access can be named.
struct Allocation {
  std::uint64_t base = 0;     ///< device address, page-aligned
  std::uint64_t size = 0;     ///< bytes asked for
  std::byte* host = nullptr;  ///< where the bytes are on the host; == base for managed and pinned memory
  Kind kind = Kind::device;
  int device = 0;  ///< number of the GPU whose memory it is, where there are several
  bool freed = false;
  bool constant = false;       ///< a `__constant__` variable
  bool registered = false;     ///< host memory of the program's own: at its address, and without a redzone
  std::string origin;          ///< "cudaMalloc #3", the symbol's name
  std::uint64_t reserved = 0;  ///< bytes of address space taken from base on, redzone included
  /// Whether it is an array that a runner has named: its caller's, and not the program's own.
  bool of_the_caller() const { return origin.starts_with("array '"); }
  /// Whether it is in the memory of another GPU than that of the number.
  bool is_of_other_device(int number) const { return kind == Kind::device && device != number; }
  /// For messages.
  AllocationName name() const { return {.origin = origin, .base = base, .size = size}; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base && address - base <= size && bytes <= size - (address - base);
  }
};

/// An address from the point of view of the buffers.
struct AddressInWords {
  Message words{};            ///< "4 bytes past the end of the buffer of 4096 bytes (cudaMalloc #3)"
  bool near_buffer = false;   ///< the words are about a buffer
  bool null_pointer = false;  ///< or a few bytes from it
};

/// Bytes from an array within which an index of 32 bits lands that overflows, or is below 0, with elements of
/// up to 16 bytes. Farther addresses are not told by the array next to them.
inline constexpr std::uint64_t kFarthestIndex = std::uint64_t{64} << 30;

/// Windows of the generic address space (as on hardware, a generic address tells its space by range).
inline constexpr std::uint64_t kSharedWindow = 0x0000'0010'0000'0000;  ///< + shared offset (16 MiB window)
/// + local offset of the accessing thread.
inline constexpr std::uint64_t kLocalWindow = 0x0000'0011'0000'0000;
inline constexpr std::uint64_t kParamWindow = 0x0000'0012'0000'0000;  ///< + offset of a kernel parameter
inline constexpr std::uint64_t kWindowSize = 0x0000'0000'1000'0000;
/// An address this little below a window is one with an index below zero. Nothing else is there.
inline constexpr std::uint64_t kBelowWindow = 0x0000'0000'0010'0000;
/// Whether an address is one in a window with an index of 32 bits and elements of up to 256 bytes; no buffer
/// and no memory of the host is there.
inline bool is_far_from_window(std::uint64_t address) {
  constexpr std::uint64_t kBelow = 0x0000'0004'0000'0000, kAbove = 0x0000'0100'0000'0000;
  return address - (kSharedWindow - kBelow) < kAbove + kBelow;
}

/// All allocations of one device. Allocation is thread-safe; lookups take no lock.
///
/// Device addresses come from a range that is reserved without access rights, so that a host dereference of a
/// device pointer faults at once; the bytes themselves lie elsewhere. Managed and pinned memory is readable
/// at its own address. Addresses only grow and are never used twice.
class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Most bytes that may be allocated at one time; allocate() refuses beyond. Default: 16 GiB.
  void set_capacity(std::uint64_t bytes);
  std::uint64_t capacity() const;

  /// Reserves address space that is never reused and commits pages on first touch; new memory reads as zero.
  /// Redzones of at least 4096 bytes lie on both sides.
  /// @param bytes  may be 0: the address is then unique and nothing can be accessed at it
  /// @throws std::bad_alloc beyond the capacity or when the host refuses
  Allocation* allocate(std::uint64_t bytes, Kind kind, std::string origin);

  /// Lets kernels use host memory of the program's own, at its own address (`cudaHostRegister`).
  /// @param base, bytes  a range that overlaps none registered before and not freed since
  Allocation* register_host(std::uint64_t base, std::uint64_t bytes, std::string origin);

  /// Marks freed and gives the pages back; the addresses stay taken. Registered memory stays as it is.
  void free(Allocation* allocation);

  /// The allocation that holds @p address, or the nearest one below it whose redzone does; null if none is
  /// near. Freed allocations are found too.
  const Allocation* find(std::uint64_t address) const;

  /// The allocation that starts exactly at @p base, null if none does. Freed allocations are found too.
  Allocation* find_base(std::uint64_t base);

  std::uint64_t bytes_in_use() const;

  /// Allocations that were not freed, oldest first.
  std::vector<const Allocation*> live() const;

  /// For messages about a bad address.
  AddressInWords describe(std::uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sim::memory
