// Memory of the host program's own that kernels may use: page-locked by cudaHostRegister.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/memory/address_space.h"

namespace sim::memory {

/// A list of host ranges under allocations of kind `pinned`, whose addresses are the host's own.
/// One writer at a time (the caller locks); any number of readers at any time.
class RegisteredMemory {
 public:
  /// Adds a range that overlaps none that is there. One that was removed and begins at the same byte is used
  /// again. @throws std::bad_alloc when there are too many
  Allocation* add(std::uint64_t base, std::uint64_t bytes);

  /// The range that holds @p address; of those that do, the one added last.
  Allocation* find(std::uint64_t address) const;

  /// The live range that ends or begins within a page of @p address; null if none does.
  const Allocation* near(std::uint64_t address) const;

  /// Adds those that were not freed to @p into.
  void live(std::vector<const Allocation*>& into) const;

 private:
  static constexpr std::size_t kChunk = 256, kChunks = 4096;
  using Chunk = std::array<Allocation, kChunk>;
  Allocation& at(std::size_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }

  std::unique_ptr<std::unique_ptr<Chunk>[]> chunks_ { new std::unique_ptr<Chunk>[ kChunks ] };
  std::atomic<std::size_t> count_{0};
};

}  // namespace sim::memory
