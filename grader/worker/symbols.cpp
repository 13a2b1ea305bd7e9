#include "grader/worker/symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace ladder {
namespace {

/// Reads a T at @p offset, or nothing when the file is too short for it.
template <class T>
std::optional<T> at(const std::string& file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

}  // namespace

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

std::string base_name(const std::string& demangled_name) {
  return demangled_name.substr(0, demangled_name.find('('));
}

std::vector<std::string> defined_functions(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  std::vector<std::string> names;
  for (int i = 0; i < header->e_shnum; ++i) {
    const auto section =
        at<Elf64_Shdr>(file, header->e_shoff + static_cast<std::uint64_t>(i) * header->e_shentsize);
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto strings = at<Elf64_Shdr>(
        file, header->e_shoff + static_cast<std::uint64_t>(section->sh_link) * header->e_shentsize);
    if (!strings) continue;
    for (std::uint64_t offset = 0; offset < section->sh_size; offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(file, section->sh_offset + offset);
      if (!symbol || symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      const std::uint64_t name = strings->sh_offset + symbol->st_name;
      if (name < file.size()) names.emplace_back(file.c_str() + name);
    }
  }
  return names;
}

std::string undefined_symbol(const std::string& message) {
  static constexpr char kMark[] = "undefined symbol: ";
  const std::size_t at = message.find(kMark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + sizeof(kMark) - 1;
  return message.substr(begin, message.find_first_of(" ,\n", begin) - begin);
}

}  // namespace ladder
