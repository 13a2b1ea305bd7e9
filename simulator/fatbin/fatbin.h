// Reads the fat binaries that nvcc puts into host objects: finds the PTX in them and unpacks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sim::fatbin {

/// A fat binary that cannot be used; what() is a sentence for the user.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind : std::uint16_t { ptx = 1, elf = 2 };
enum class Packing : std::uint8_t { none, lz4, zstd };

/// One program of a fat binary, for one architecture.
struct Entry {
  Kind kind = Kind::ptx;
  int architecture = 0;                      ///< 75 for compute_75
  bool specific = false;                     ///< compute_90a: for that architecture alone
  int version_major = 0, version_minor = 0;  ///< of PTX
  Packing packing = Packing::none;
  std::span<const std::byte> payload;  ///< as stored; not owned
  std::uint64_t unpacked_bytes = 0;
};

/// The fat binary behind the wrapper that `__cudaRegisterFatBinary` is given.
/// @throws Error when the magic numbers are wrong, or when it reaches beyond the loaded object
/// that it lies in
std::span<const std::byte> from_wrapper(const void* wrapper);

/// A fat binary that has no wrapper, as the driver API is given one. @throws Error as from_wrapper()
std::span<const std::byte> bytes_at(const void* binary);

/// All entries of a fat binary. Every size in it is checked against what holds it.
/// @throws Error
std::vector<Entry> entries(std::span<const std::byte> binary);

/// The text of a PTX entry. @throws Error when it is corrupt or larger than 256 MiB
std::string unpack(const Entry& entry);

/// The PTX for a device: of the entries that it can run, the one for the highest architecture; one that is
/// specific to the device's own comes first.
/// @param architecture the device's, such as 90
/// @throws Error "built without PTX: ..." and the like, with the cure
std::string best_ptx(std::span<const std::byte> binary, int architecture);

}  // namespace sim::fatbin
