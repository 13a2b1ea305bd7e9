// A tile of shared memory as a copy by a tensor map lays it out.
#pragma once

#include <cstdint>
#include <string>

namespace sim {

struct TileRecord {
  /// Bytes of shared memory after which every swizzle begins again.
  static constexpr std::uint32_t kPeriod = 1024;

  std::string file;
  int line = 0;                     ///< of the copy
  std::string name;                 ///< of the variable in shared memory; empty: not known
  std::uint32_t offset = 0;         ///< of its first byte, from a multiple of kPeriod
  std::uint32_t element_bytes = 0;  ///< interleaved layouts: of a slice of channels
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t pitch = 0;    ///< bytes from one row to the next, before the swizzle
  std::uint32_t swizzle = 0;  ///< 0, 32, 64 or 128 bytes, whose pieces of 16 bytes change places
  bool operator==(const TileRecord&) const = default;
};

}  // namespace sim
