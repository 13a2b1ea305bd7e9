// Source of the format: DWARF 5 (dwarfstd.org), section 6.2.
#include "simulator/cudart/report/line_table.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "simulator/fatbin/elf.h"
#include "simulator/ptx/program.h"

namespace sim::cudart {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMostRows = 1 << 20, kMostFiles = 1 << 14, kLongestName = 1024;

struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("line numbers that make no sense") {}
};

/// Reads on in some bytes.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  Bytes take(std::uint64_t n) {
    if (n > bytes_.size()) throw Malformed();
    const Bytes taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }
  std::uint64_t fixed(std::size_t n) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(n).data(), n);
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint64_t leb(bool is_signed = false) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      if (shift < 64) value |= std::uint64_t{b & 0x7Fu} << shift;
      if ((b & 0x80) != 0) continue;
      if (is_signed && (b & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
  }
  std::string text() {
    const auto end = std::find(bytes_.begin(), bytes_.end(), std::byte{0});
    if (end == bytes_.end() || end - bytes_.begin() > static_cast<std::ptrdiff_t>(kLongestName))
      throw Malformed();
    const Bytes taken = take(static_cast<std::size_t>(end - bytes_.begin()));
    take(1);
    // A name is printed; it has nothing to say to a terminal.
    if (std::any_of(taken.begin(), taken.end(),
                    [](std::byte b) { return b < std::byte{0x20} || b == std::byte{0x7f}; }))
      throw Malformed();
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  Bytes bytes_;
};

struct Named {
  std::string path;
  std::uint64_t folder = 0;
};

/// A table of folders or files, which says itself what it has of each.
std::vector<Named> read_names(Cursor& c, Bytes line_strings, Bytes strings) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format(c.byte());
  for (auto& [content, form] : format) content = c.leb(), form = c.leb();
  const std::uint64_t count = c.leb();
  if (count > kMostFiles || (format.empty() && count != 0)) throw Malformed();
  std::vector<Named> names(count);
  for (Named& name : names)
    for (const auto& [content, form] : format) {
      std::uint64_t value = 0;
      std::string text;
      const auto text_at = [&](Bytes section) {
        Cursor there(section);
        there.take(c.fixed(4));
        text = there.text();
      };
      switch (form) {
        case 0x08:
          text = c.text();
          break;
        case 0x0e:
          text_at(strings);
          break;
        case 0x1f:
          text_at(line_strings);
          break;
        case 0x0b:
          value = c.fixed(1);
          break;
        case 0x05:
          value = c.fixed(2);
          break;
        case 0x06:
          value = c.fixed(4);
          break;
        case 0x07:
          value = c.fixed(8);
          break;
        case 0x0f:
          value = c.leb();
          break;
        case 0x1e:
          c.take(16);
          break;
        default:
          throw Malformed();
      }
      if (content == 1) name.path = std::move(text);
      if (content == 2) name.folder = value;
    }
  return names;
}

/// The compiler's own text, which is gone, has the lines of launch stubs.
bool is_users(const std::string& file) {
  return !ptx::is_toolkit_file(file) && file.find(".cudafe") == file.npos && !file.starts_with("/usr/");
}

}  // namespace

struct LineTable::Unit {
  Cursor code;
  std::uint32_t first_file;  ///< index into files_ of its file 0
  std::uint32_t files;
  std::uint8_t shortest, line_range, opcodes;
  int line_base;
  std::vector<std::uint8_t> operands;  ///< of the standard opcodes
};

LineTable::LineTable(Bytes elf) {
  try {
    const auto section = [&](const char* name) {
      const auto found = fatbin::elf_sections(elf, name);
      return found.empty() ? Bytes() : found.front();
    };
    const Bytes line_strings = section(".debug_line_str"), strings = section(".debug_str");
    for (Cursor all(section(".debug_line")); !all.done();) {
      Cursor c(all.take(all.fixed(4)));
      if (c.fixed(2) != 5) continue;  // -gdwarf-5
      c.take(2);                      // sizes of an address and of a segment
      Cursor head(c.take(c.fixed(4)));
      Unit unit{c, static_cast<std::uint32_t>(files_.size()), 0, head.byte(), 0, 0, 0, {}};
      head.take(2);  // operations of an instruction; whether rows start statements
      unit.line_base = static_cast<std::int8_t>(head.byte());
      unit.line_range = head.byte();
      unit.opcodes = head.byte();
      if (unit.line_range == 0 || unit.opcodes == 0) throw Malformed();
      for (int i = 1; i < unit.opcodes; ++i) unit.operands.push_back(head.byte());
      const std::vector<Named> folders = read_names(head, line_strings, strings);
      for (const Named& file : read_names(head, line_strings, strings)) {
        const bool whole = file.path.starts_with('/') || file.folder >= folders.size();
        files_.push_back(whole ? file.path : folders[file.folder].path + "/" + file.path);
        ++unit.files;
      }
      read_unit(unit);
    }
  } catch (const std::runtime_error&) {  // what was read until then stays
  }
}

void LineTable::read_unit(Unit& unit) {
  Row row{0, 1, 1, false};
  const auto add = [&] {
    if (rows_.size() == kMostRows) throw Malformed();
    rows_.push_back({row.address, unit.first_file + std::min(row.file, unit.files - 1), row.line, row.end});
  };
  if (unit.files == 0) throw Malformed();
  const auto advance = [&](unsigned adjusted) {
    row.address += std::uint64_t{unit.shortest} * (adjusted / unit.line_range);
  };
  Cursor& c = unit.code;
  while (!c.done()) {
    const std::uint8_t opcode = c.byte();
    if (opcode >= unit.opcodes) {
      const unsigned adjusted = opcode - unit.opcodes;
      advance(adjusted);
      row.line += unit.line_base + static_cast<int>(adjusted % unit.line_range);
      add();
    } else if (opcode == 0) {
      Cursor extended(c.take(c.leb()));
      const std::uint8_t what = extended.byte();
      if (what == 1) {
        row.end = true;
        add();
        row = {0, 1, 1, false};
      } else if (what == 2) {
        row.address = extended.fixed(8);
      }
    } else if (opcode == 1) {
      add();
    } else if (opcode == 2) {
      row.address += unit.shortest * c.leb();
    } else if (opcode == 3) {
      row.line =
          static_cast<int>(static_cast<std::uint32_t>(row.line) + static_cast<std::uint32_t>(c.leb(true)));
    } else if (opcode == 4) {
      row.file = static_cast<std::uint32_t>(std::min<std::uint64_t>(c.leb(), kMostFiles));
    } else if (opcode == 8) {
      advance(255u - unit.opcodes);
    } else if (opcode == 9) {
      row.address += c.fixed(2);
    } else {
      for (int i = 0; i < unit.operands[opcode - 1u]; ++i) c.leb();
    }
  }
}

std::optional<SourceLine> LineTable::at(std::uint64_t address) const {
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    if (rows_[i].end || address < rows_[i].address || address >= rows_[i + 1].address) continue;
    for (std::size_t k = i + 1; k-- > 0 && !rows_[k].end;) {
      const std::string& file = files_[rows_[k].file];
      if (rows_[k].line > 0 && is_users(file)) return SourceLine{file, rows_[k].line};
      if (!ptx::is_toolkit_file(file)) return std::nullopt;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sim::cudart
