#include "simulator/sanitizer/uninit/written.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace sim::sanitizer {

namespace {

/// Bytes of the largest allocation that is followed. Launches over more are not watched, and a sandbox may
/// have little room for the bits: memory that is not there ends the process when it is touched.
constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;

/// Zeroed pages that a forked child shares with its parent. Where a sandbox forbids those that have no file,
/// since nobody sees who holds them, they are of a file in memory that has no name.
void* shared_pages(std::uint64_t bytes) {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  void* pages = mmap(nullptr, bytes, kAccess, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages != MAP_FAILED || errno != EPERM) return pages;
  const int file = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return MAP_FAILED;
  if (ftruncate(file, off_t(bytes)) == 0)
    pages = mmap(nullptr, bytes, kAccess, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  return pages;
}

}  // namespace

WrittenBytes::WrittenBytes(std::uint64_t base, std::uint64_t size)
    : base_(base), size_(size), mapped_(size / 8 + 64) {
  void* pages = shared_pages(mapped_);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  bits_ = static_cast<std::uint8_t*>(pages);
  whole_ = bits_ + mapped_ - 1;
}

WrittenBytes::~WrittenBytes() { munmap(bits_, mapped_); }

void WrittenBytes::mark_all() { *whole_ = 1; }

void WrittenBytes::mark(std::uint64_t offset, std::uint64_t bytes) {
  if (whole() || bytes == 0) return;
  if (offset == 0 && bytes >= size_) return mark_all();
  const std::uint64_t end = std::min(offset + bytes, size_);
  while (offset < end && offset % 8 != 0) bits_[offset / 8] |= std::uint8_t(1u << offset % 8), ++offset;
  if (end - offset >= 8) {
    std::memset(bits_ + offset / 8, 0xFF, (end - offset) / 8);
    offset += (end - offset) / 8 * 8;
  }
  for (; offset < end; ++offset) bits_[offset / 8] |= std::uint8_t(1u << offset % 8);
}

unsigned WrittenBytes::piece(std::uint64_t offset, unsigned bytes) const {
  std::uint32_t bits;
  std::memcpy(&bits, bits_ + offset / 8, sizeof bits);
  return bits >> offset % 8 & ((1u << bytes) - 1);
}

bool WrittenBytes::all(std::uint64_t offset, unsigned bytes) const {
  return whole() || piece(offset, bytes) == (1u << bytes) - 1;
}

bool WrittenBytes::none(std::uint64_t offset, unsigned bytes) const {
  return !whole() && piece(offset, bytes) == 0;
}

bool WrittenBytes::all_of(std::uint64_t offset, std::uint64_t bytes) const {
  if (whole()) return true;
  for (; bytes >= 16; offset += 16, bytes -= 16)
    if (piece(offset, 16) != 0xFFFF) return false;
  return piece(offset, unsigned(bytes)) == (1u << bytes) - 1;
}

WrittenBytes* Written::of(const memory::Allocation& allocation) {
  if (allocation.kind != memory::Kind::device || allocation.size == 0 || allocation.size > kLargest)
    return nullptr;
  auto& bytes = all_[allocation.base];
  if (bytes == nullptr) bytes = std::make_unique<WrittenBytes>(allocation.base, allocation.size);
  return bytes.get();
}

void Written::note(std::uint64_t address, std::uint64_t bytes) {
  const memory::Allocation* a = space_.find(address);
  if (a == nullptr || a->freed) return;
  if (WrittenBytes* w = of(*a)) w->mark(address - a->base, bytes);
}

void Written::follow_all() {
  std::erase_if(all_, [&](const auto& entry) {
    const memory::Allocation* a = space_.find(entry.first);
    return a == nullptr || a->freed;
  });
  for (const memory::Allocation* a : space_.live()) {
    WrittenBytes* const bytes = of(*a);
    // What a kernel allocated, it also wrote: in memory of its own, when a child watched it.
    if (bytes != nullptr && a->origin.starts_with("malloc in")) bytes->mark_all();
  }
}

void Written::note_everything() {
  follow_all();
  for (const auto& [base, bytes] : all_) bytes->mark_all();
}

}  // namespace sim::sanitizer
