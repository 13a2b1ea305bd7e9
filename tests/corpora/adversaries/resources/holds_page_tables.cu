// Reads a byte of every 2 MiB of a quarter of a terabyte: no page of its own, but half a gigabyte of tables.
// outcome: out_of_memory
// says: .
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  constexpr std::size_t kBytes = std::size_t{1} << 38, kTable = std::size_t{1} << 21;
  void* pages = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return cudaErrorMemoryAllocation;
  madvise(pages, kBytes, MADV_NOHUGEPAGE);
  volatile std::uint8_t sum = 0;
  for (std::size_t at = 0; at < kBytes; at += kTable) sum = sum + static_cast<std::uint8_t*>(pages)[at];
  for (;;) sleep(1000);
}
