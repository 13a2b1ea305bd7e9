#include "simulator/remote/server/module_file.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace sim::remote {
namespace {

constexpr std::uint32_t kMagic =
    0xBA55ED50;  // of a fat binary's header: magic, version, header size, payload size
constexpr std::size_t kHeader = 16;

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

ModuleFile::ModuleFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail("cannot be opened");
  bytes_.resize(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size())))
    fail("cannot be read");
  find();
}

void ModuleFile::find() {
  const std::span<const std::byte> all = bytes_;
  const auto header = read<Elf64_Ehdr>(all, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    fail("is no 64-bit ELF file");
  const auto section = [&](std::size_t i) {
    return read<Elf64_Shdr>(all, header.e_shoff + i * std::uint64_t{sizeof(Elf64_Shdr)});
  };
  if (header.e_shstrndx >= header.e_shnum) fail("has no names of sections");
  const auto names = section(header.e_shstrndx);
  const auto text = part(all, names.sh_offset, names.sh_size);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto one = section(i);
    constexpr std::string_view kName(".nv_fatbin\0", 11);
    if (one.sh_name > text.size() || text.size() - one.sh_name < kName.size() ||
        std::memcmp(text.data() + one.sh_name, kName.data(), kName.size()) != 0)
      continue;
    auto rest = part(all, one.sh_offset, one.sh_size);
    while (rest.size() >= kHeader && read<std::uint32_t>(rest, 0) == kMagic) {
      const auto payload = read<std::uint64_t>(rest, 8);
      const auto size = payload > rest.size() ? rest.size() : kHeader + payload;
      found_.push_back(part(rest, 0, size));
      rest = rest.subspan(std::min(rest.size(), (size + 7) / 8 * 8));
      // The linker fills up between the objects of several files.
      while (rest.size() >= kHeader && read<std::uint32_t>(rest, 0) == 0) rest = rest.subspan(8);
    }
  }
}

}  // namespace sim::remote
