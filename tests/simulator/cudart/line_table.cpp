#include "simulator/cudart/report/line_table.h"

#include <elf.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>

using sim::cudart::LineTable;

namespace {

using Bytes = std::string;

template <class T>
Bytes raw(T value) {
  Bytes bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Bytes named(const char* text, char folder) { return Bytes(text) + '\0' + folder; }

/// A unit of DWARF 5 whose names stand in it: file 0 the course's, 1 the toolkit's, 2 the compiler's own.
Bytes unit(const Bytes& program) {
  const Bytes names = Bytes("\x01\x01\x08\x01", 4) + Bytes("/course\0", 8) +  // folders: a path each
                      Bytes("\x02\x01\x08\x02\x0b\x03", 6) +                  // files: a path and a folder
                      named("rung.cu", 0) + named("/usr/local/cuda/include/cuda_runtime.h", 0) +
                      named("rung.cudafe1.stub.c", 0);
  const Bytes operands("\0\1\1\1\1\0\0\0\1\0\0\1", 12);
  const Bytes head = Bytes("\x01\x01\x01", 3) + raw<std::int8_t>(-5) + '\x0e' + '\x0d' + operands + names;
  const Bytes rest = raw<std::uint16_t>(5) + Bytes("\x08\0", 2) +
                     raw(static_cast<std::uint32_t>(head.size())) + head + program;
  return raw(static_cast<std::uint32_t>(rest.size())) + rest;
}

Bytes set_address(std::uint64_t address) { return Bytes("\0\x09\x02", 3) + raw(address); }
/// A row of the line number program.
Bytes row(char file, int lines_on, char bytes_on) {
  return Bytes("\x02", 1) + bytes_on + '\x04' + file + '\x03' + static_cast<char>(lines_on & 0x7f) + '\x01';
}
const Bytes kEnd("\x02\x08\0\x01\x01", 5);

Bytes elf(const Bytes& lines) {
  const Bytes names("\0.debug_line\0.names\0", 20);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_shoff = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 2;
  head.e_shstrndx = 1;
  Elf64_Shdr line{}, text{};
  line.sh_name = 1;
  line.sh_offset = sizeof head + 2 * sizeof line;
  line.sh_size = lines.size();
  text.sh_name = 13;
  text.sh_offset = line.sh_offset + lines.size();
  text.sh_size = names.size();
  return raw(head) + raw(line) + raw(text) + lines + names;
}

LineTable table_of(const Bytes& file) { return LineTable(std::as_bytes(std::span(file))); }

/// Line 12 of the rung from 0x100 on, then the toolkit's, inlined there, then line 14, then a stub's.
const Bytes kProgram =
    set_address(0x100) + row(0, 11, 0) + row(1, 50, 8) + row(0, -48, 8) + row(2, 0, 8) + kEnd;

int line_at(const LineTable& table, std::uint64_t address) {
  const auto line = table.at(address);
  return line ? line->line : 0;
}

}  // namespace

TEST_CASE("an address of host code leads to the line of the user's source") {
  const LineTable table = table_of(elf(unit(kProgram)));
  REQUIRE(table.at(0x103));
  CHECK(table.at(0x103)->file == "/course/rung.cu");
  CHECK(line_at(table, 0x100) == 12);
  CHECK(line_at(table, 0x109) == 12);  // the toolkit's function, called there
  CHECK(line_at(table, 0x110) == 14);
  CHECK(line_at(table, 0x11a) == 0);  // nobody wrote the stub
  CHECK(line_at(table, 0xff) == 0);
  CHECK(line_at(table, 0x120) == 0);
}

TEST_CASE("of several units each has its files and its code") {
  const Bytes other = unit(set_address(0x200) + row(0, 1, 0) + kEnd);
  const LineTable table = table_of(elf(unit(kProgram) + other));
  CHECK(line_at(table, 0x104) == 12);
  CHECK(line_at(table, 0x204) == 2);
}

TEST_CASE("a name that would speak to a terminal is no name") {
  Bytes file = elf(unit(kProgram));
  file[file.find("rung.cu")] = '\x1b';
  CHECK(line_at(table_of(file), 0x103) == 0);
}

TEST_CASE("a file whose line numbers make no sense has none, and is read to no place outside it") {
  const Bytes whole = elf(unit(kProgram));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_NOTHROW(line_at(table_of(whole.substr(0, size)), 0x103));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '\x01', '\x7f', '\xff'}) {
      Bytes changed = whole;
      changed[at] = byte;
      CHECK_NOTHROW(line_at(table_of(changed), 0x103));
    }
  CHECK(line_at(table_of("no ELF file"), 0x103) == 0);
}
