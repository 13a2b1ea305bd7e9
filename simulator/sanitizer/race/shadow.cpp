#include "simulator/sanitizer/race/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace sim::sanitizer {

namespace {
constexpr std::size_t kLargePage = std::size_t{1} << 21, kGiant = std::size_t{1} << 28;  // bytes of a column
}

Shadow::Shadow(u64 bytes) : bytes_(bytes) { map(); }

Shadow::Shadow(Shadow&& other) noexcept
    : write_who(other.write_who),
      write_when(other.write_when),
      write_at(other.write_at),
      read_who(other.read_who),
      read_when(other.read_when),
      read_at(other.read_at),
      read_also(other.read_also),
      read_set(other.read_set),
      bytes_(other.bytes_),
      shift_(other.shift_),
      entered_(other.entered_),
      column_(other.column_),
      pages_(std::exchange(other.pages_, nullptr)) {}

Shadow::~Shadow() {
  if (pages_ != nullptr) munmap(pages_, column_ * kColumns * sizeof(u32));
}

void Shadow::map() {
  column_ = ((bytes_ >> shift_) + 64 + 1023) / 1024 * 1024;  // vector loops may touch a little more
  void* pages = mmap(nullptr, column_ * kColumns * sizeof(u32), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // Most of what is touched at all is touched all over: large pages, where the columns are not that of a
  // giant.
  if (column_ * sizeof(u32) >= kLargePage && column_ * sizeof(u32) <= kGiant)
    madvise(pages, column_ * kColumns * sizeof(u32), MADV_HUGEPAGE);
  pages_ = static_cast<u32*>(pages);
  u32** const columns[kColumns] = {&write_who, &write_when, &write_at,  &read_who,
                                   &read_when, &read_at,    &read_also, &read_set};
  for (int i = 0; i < kColumns; ++i) *columns[i] = pages_ + std::size_t(i) * column_;
}

void Shadow::refine(u32 bytes) {
  const u32 wanted = bytes >= 4 ? 2 : bytes / 2;
  if (wanted >= shift_) return;
  u32* const old = pages_;
  const u64 old_column = column_, old_cells = (bytes_ >> shift_) + 1;
  const u32 by = shift_ - wanted;
  shift_ = wanted;
  map();
  for (int c = 0; entered_ && c < kColumns; ++c) {
    const u32* const from = old + std::size_t(c) * old_column;
    u32* const to = pages_ + std::size_t(c) * column_;
    for (u64 i = 0; i < std::min(old_cells << by, column_); ++i)
      if (from[i >> by] != 0) to[i] = from[i >> by];  // untouched pages stay untouched
  }
  munmap(old, old_column * kColumns * sizeof(u32));
}

}  // namespace sim::sanitizer
