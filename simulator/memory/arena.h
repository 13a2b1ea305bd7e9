// A range of address space handed out from low to high, with a lock-free index of what was handed out.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "simulator/memory/address_space.h"

namespace sim::memory {

inline constexpr std::uint64_t kPage = 4096;
inline constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

/// Reserved addresses plus an append-only list of allocations, sorted by address because addresses only grow.
/// One writer at a time (the caller locks); any number of readers at any time.
class Arena {
 public:
  /// @param wanted  its first address; 0: wherever there is room
  /// @param most    bytes of addresses to reserve
  /// @throws std::bad_alloc when there is no room
  explicit Arena(std::uint64_t wanted = 0, std::uint64_t most = kMost);
  ~Arena();
  Arena(const Arena&) = delete;

  /// Takes the next addresses for @p bytes and a redzone. @throws std::bad_alloc when the range is used up
  Allocation* append(std::uint64_t bytes);

  static constexpr std::uint64_t kMost = 1ull << 43;  ///< 8 TiB of addresses

  std::uint64_t begin() const { return begin_; }
  bool holds(std::uint64_t address) const { return address - begin_ < size_; }
  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  Allocation& at(std::size_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }

  /// Index of the last allocation whose base is not above @p address; count() if there is none.
  std::size_t last_not_above(std::uint64_t address) const;

 private:
  static constexpr std::size_t kChunk = 1024, kChunks = 16384;
  using Chunk = std::array<Allocation, kChunk>;

  std::uint64_t begin_ = 0, size_ = 0, next_ = 0;
  std::unique_ptr<std::unique_ptr<Chunk>[]> chunks_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace sim::memory
