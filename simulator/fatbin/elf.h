// Sections of an ELF file. It is the work of a student's compiler: every offset in it is checked.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::fatbin {

/// @throws std::runtime_error when it cannot be read
std::vector<std::byte> file_bytes(const std::string& path);

/// The bytes of the sections with a name, in their order.
/// @throws std::runtime_error when it is no 64-bit ELF file, or cut off
std::vector<std::span<const std::byte>> elf_sections(std::span<const std::byte> file, std::string_view name);

}  // namespace sim::fatbin
