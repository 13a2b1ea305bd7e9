// The fat binaries in a module's file, read without loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sim::remote {

/// The bytes of a shared object, and where its fat binaries lie in them. The file is a student's compiler's
/// work: every offset in it is checked.
class ModuleFile {
 public:
  /// @throws std::runtime_error when it cannot be read or is no 64-bit ELF file
  explicit ModuleFile(const std::string& path);
  /// In the order in which the module registers them.
  std::span<const std::span<const std::byte>> fat_binaries() const { return found_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::span<const std::byte>> found_;
};

}  // namespace sim::remote
