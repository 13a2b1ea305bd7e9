#include "simulator/memory/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace sim::memory {

namespace {

constexpr std::uint64_t kLeast = 1ull << 30;  // of addresses, under tight limits
constexpr std::uint64_t kLargestRedzone = 1ull << 28;

/// A stray index is often off by a row or by the whole array: the larger the buffer, the wider its redzone.
std::uint64_t redzone_for(std::uint64_t bytes) {
  return std::clamp(round_up(bytes, kPage), kPage, kLargestRedzone);
}

}  // namespace

Arena::Arena(std::uint64_t wanted, std::uint64_t most) : chunks_(new std::unique_ptr<Chunk>[kChunks]) {
  const int exactly = wanted != 0 ? MAP_FIXED_NOREPLACE : 0;
  for (std::uint64_t want = most; want >= kLeast; want /= 2) {
    void* range = mmap(reinterpret_cast<void*>(wanted), want, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | exactly, -1, 0);
    if (range == MAP_FAILED) continue;
    begin_ = reinterpret_cast<std::uint64_t>(range);
    size_ = want;
    next_ = begin_ + kLargestRedzone / 16;  // room for underflows of the first buffer
    return;
  }
  throw std::bad_alloc();
}

Arena::~Arena() { munmap(reinterpret_cast<void*>(begin_), size_); }

Allocation* Arena::append(std::uint64_t bytes) {
  const std::uint64_t left = begin_ + size_ - next_;
  if (bytes > left || round_up(bytes, kPage) + redzone_for(bytes) > left) throw std::bad_alloc();
  const std::size_t index = count_.load(std::memory_order_relaxed);
  if (index == kChunk * kChunks) throw std::bad_alloc();
  auto& chunk = chunks_[index / kChunk];
  if (!chunk) chunk = std::make_unique<Chunk>();

  Allocation& fresh = (*chunk)[index % kChunk];
  fresh.base = next_;
  fresh.size = bytes;
  fresh.reserved = round_up(bytes, kPage) + redzone_for(bytes);
  next_ += fresh.reserved;
  count_.store(index + 1, std::memory_order_release);
  return &fresh;
}

std::size_t Arena::last_not_above(std::uint64_t address) const {
  const std::size_t n = count();
  std::size_t low = 0, high = n;  // first allocation whose base lies above the address
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (at(middle).base <= address ? low : high) = at(middle).base <= address ? middle + 1 : middle;
  }
  return low == 0 ? n : low - 1;
}

}  // namespace sim::memory
