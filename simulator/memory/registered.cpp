#include "simulator/memory/registered.h"

#include <new>

#include "simulator/memory/arena.h"

namespace sim::memory {

Allocation* RegisteredMemory::add(std::uint64_t base, std::uint64_t bytes) {
  const std::size_t n = count_.load(std::memory_order_relaxed);
  std::size_t index = 0;
  while (index < n && !(at(index).base == base && at(index).freed)) ++index;
  if (index == kChunk * kChunks) throw std::bad_alloc();
  if (auto& chunk = chunks_[index / kChunk]; !chunk) chunk = std::make_unique<Chunk>();
  Allocation* const fresh = &at(index);
  *fresh = {};
  fresh->base = base;
  fresh->size = fresh->reserved = bytes;
  fresh->kind = Kind::pinned;
  fresh->registered = true;
  fresh->host = reinterpret_cast<std::byte*>(base);
  if (index == n) count_.store(n + 1, std::memory_order_release);
  return fresh;
}

Allocation* RegisteredMemory::find(std::uint64_t address) const {
  Allocation* freed = nullptr;
  for (std::size_t i = count_.load(std::memory_order_acquire); i-- > 0;) {
    Allocation& a = at(i);
    if (address - a.base >= a.size) continue;
    if (!a.freed) return &a;
    if (freed == nullptr) freed = &a;
  }
  return freed;
}

const Allocation* RegisteredMemory::near(std::uint64_t address) const {
  for (std::size_t i = count_.load(std::memory_order_acquire); i-- > 0;) {
    const Allocation& a = at(i);
    if (!a.freed && address + kPage >= a.base && address < a.base + a.size + kPage) return &a;
  }
  return nullptr;
}

void RegisteredMemory::live(std::vector<const Allocation*>& into) const {
  for (std::size_t i = 0; i < count_.load(std::memory_order_acquire); ++i)
    if (!at(i).freed) into.push_back(&at(i));
}

}  // namespace sim::memory
