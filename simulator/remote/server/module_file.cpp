#include "simulator/remote/server/module_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simulator/fatbin/elf.h"

namespace sim::remote {
namespace {

constexpr std::uint32_t kMagic =
    0xBA55ED50;  // of a fat binary's header: magic, version, header size, payload size
constexpr std::size_t kHeader = 16;

template <class T>
T read(std::span<const std::byte> all, std::uint64_t offset) {
  T value;
  std::memcpy(&value, all.subspan(offset).first(sizeof(T)).data(), sizeof(T));
  return value;
}

}  // namespace

ModuleFile::ModuleFile(const std::string& path) : bytes_(fatbin::file_bytes(path)) {
  for (std::span<const std::byte> rest : fatbin::elf_sections(bytes_, ".nv_fatbin")) {
    while (rest.size() >= kHeader && read<std::uint32_t>(rest, 0) == kMagic) {
      const auto payload = read<std::uint64_t>(rest, 8);
      const auto size = payload > rest.size() - kHeader ? rest.size() : kHeader + payload;
      found_.push_back(rest.first(size));
      rest = rest.subspan(std::min(rest.size(), (size + 7) / 8 * 8));
      // The linker fills up between the objects of several files.
      while (rest.size() >= kHeader && read<std::uint32_t>(rest, 0) == 0) rest = rest.subspan(8);
    }
  }
}

}  // namespace sim::remote
