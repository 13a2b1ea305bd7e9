// Which bytes of device memory were ever written: by copies, fills and kernels.
#pragma once

#include <map>
#include <memory>

#include "simulator/memory/address_space.h"

namespace sim::sanitizer {

/// One bit for each byte of an allocation, in memory that a forked child shares with its parent.
class WrittenBytes {
 public:
  WrittenBytes(std::uint64_t base, std::uint64_t size);
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;

  std::uint64_t base() const { return base_; }
  /// Marks [offset, offset + bytes).
  void mark(std::uint64_t offset, std::uint64_t bytes);
  void mark_all();
  /// Whether all bytes, or none of them, are marked. @param bytes  at most 16, @p offset a multiple of it
  bool all(std::uint64_t offset, unsigned bytes) const;
  bool none(std::uint64_t offset, unsigned bytes) const;
  /// The same for a longer piece.
  bool all_of(std::uint64_t offset, std::uint64_t bytes) const;
  bool whole() const { return *whole_ != 0; }

 private:
  unsigned piece(std::uint64_t offset, unsigned bytes) const;
  std::uint64_t base_, size_, mapped_;
  std::uint8_t* bits_;
  std::uint8_t* whole_;  ///< in the shared pages too
};

/// All allocations that are followed: those of cudaMalloc and its kin. Host-visible memory and variables are
/// not, since nobody sees the host write them.
class Written {
 public:
  explicit Written(memory::AddressSpace& space) : space_(space) {}
  /// Starts to follow an allocation where that makes sense. @return null where it does not
  WrittenBytes* of(const memory::Allocation& allocation);
  /// Bytes that a copy or fill writes.
  void note(std::uint64_t address, std::uint64_t bytes);
  /// Follows what there is, so that a forked child and its parent share what is known.
  void follow_all();
  /// A kernel ran that nobody watched: all of memory may have been written.
  void note_everything();

 private:
  memory::AddressSpace& space_;
  std::map<std::uint64_t, std::unique_ptr<WrittenBytes>> all_;
};

}  // namespace sim::sanitizer
