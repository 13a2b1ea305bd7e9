#include "simulator/fatbin/elf.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace sim::fatbin {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string("the module's file ") + what);
}

std::span<const std::byte> part(std::span<const std::byte> all, std::uint64_t offset, std::uint64_t size) {
  if (offset > all.size() || size > all.size() - offset) fail("is cut off");
  return all.subspan(offset, size);
}

template <class T>
T read(std::span<const std::byte> all, std::uint64_t offset) {
  T value;
  std::memcpy(&value, part(all, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

}  // namespace

std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail("cannot be opened");
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    fail("cannot be read");
  return bytes;
}

std::vector<std::span<const std::byte>> elf_sections(std::span<const std::byte> file, std::string_view name) {
  const auto header = read<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    fail("is no 64-bit ELF file");
  const auto section = [&](std::size_t i) {
    return read<Elf64_Shdr>(file, header.e_shoff + i * std::uint64_t{sizeof(Elf64_Shdr)});
  };
  if (header.e_shstrndx >= header.e_shnum) fail("has no names of sections");
  const auto names = section(header.e_shstrndx);
  const auto text = part(file, names.sh_offset, names.sh_size);
  const std::string ended = std::string(name) + '\0';
  std::vector<std::span<const std::byte>> found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto one = section(i);
    if (one.sh_name > text.size() || text.size() - one.sh_name < ended.size() ||
        std::memcmp(text.data() + one.sh_name, ended.data(), ended.size()) != 0)
      continue;
    found.push_back(part(file, one.sh_offset, one.sh_size));
  }
  return found;
}

}  // namespace sim::fatbin
