// Where the pages of managed memory are, for the modelled clock.
//
// The simulator keeps one copy that host and kernels share, so residency changes no result. It cannot see
// each host access; what it can see is which granules changed since it last looked. The model from that:
// - a kernel touches every granule of the managed buffers whose addresses are among its arguments; those on
//   the host fault and migrate, while the kernel waits;
// - a granule found changed between launches was written by the host, which had to fetch it first if a kernel
//   had used it: charged to the host then;
// - a buffer that kernels wrote is taken to be read by the host before it is freed: charged at cudaFree.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/memory/address_space.h"

namespace sim::cudart {

class ManagedPages {
 public:
  static constexpr std::uint64_t kGranule = 2 << 20;  ///< bytes that migrate together

  /// Granules and bytes that move.
  struct Migration {
    std::uint64_t granules = 0;
    std::uint64_t bytes = 0;
    Migration& operator+=(const Migration& other) {
      granules += other.granules;
      bytes += other.bytes;
      return *this;
    }
  };

  void add(const memory::Allocation* allocation);
  /// @return what the host is taken to have read back before it freed the buffer
  Migration remove(const memory::Allocation* allocation);
  bool holds(const memory::Allocation* allocation) const { return buffers_.contains(allocation); }

  /// Before a kernel that may touch @p allocation. @param[out] host what the host's writes
  /// since had brought back
  /// @return what must migrate to the device
  Migration before_kernel(const memory::Allocation* allocation, Migration& host);
  /// After it: notes which granules it wrote.
  void after_kernel(const memory::Allocation* allocation);

  /// Prefetch of [offset, offset + bytes) to one side. @return what must move
  Migration prefetch(const memory::Allocation* allocation, std::uint64_t offset, std::uint64_t bytes,
                     bool to_device);
  /// Whether the granule at this offset is on the device.
  bool on_device(const memory::Allocation* allocation, std::uint64_t offset) const;

 private:
  struct Granule {
    bool on_device = false;
    bool written_by_kernel = false;  ///< and not moved to the host since
    std::uint64_t checksum = 0;
  };
  using Buffer = std::vector<Granule>;
  std::map<const memory::Allocation*, Buffer> buffers_;
};

}  // namespace sim::cudart
