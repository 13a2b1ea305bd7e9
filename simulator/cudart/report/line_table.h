// Lines of host code by address: what gcc -g1 leaves in a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::cudart {

struct SourceLine {
  std::string file;
  int line = 0;
};

/// The line numbers of an ELF file. It is the work of a student's compiler: what makes no sense is left out.
class LineTable {
 public:
  explicit LineTable(std::span<const std::byte> elf);

  /// The line in the user's source of the code at an address of the file's own. Of code that the toolkit's
  /// headers bring, which is inlined, it is the nearest line of the user's before it.
  std::optional<SourceLine> at(std::uint64_t address) const;

 private:
  struct Row {
    std::uint64_t address;
    std::uint32_t file;  ///< index into files_
    int line;
    bool end;  ///< of the code that the rows before it are about
  };
  struct Unit;
  void read_unit(Unit& unit);
  std::vector<std::string> files_;
  std::vector<Row> rows_;
};

}  // namespace sim::cudart
