#include "simulator/report/wording/source_names.h"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace sim {
namespace {

/// Bytes. The name of the file comes out of a student's module, which may call any file its source.
constexpr std::uintmax_t kLargestSource = 4 << 20;

}  // namespace

std::string variable_of(const AllocationName& memory) {
  std::error_code ignored;
  if (memory.line <= 0 || !std::filesystem::is_regular_file(memory.file, ignored) ||
      !(std::filesystem::file_size(memory.file, ignored) <= kLargestSource))
    return {};
  std::ifstream source(memory.file);
  std::string line;
  for (int i = 0; i < memory.line; ++i)
    if (!std::getline(source, line)) return {};
  const std::string call = memory.origin.substr(0, memory.origin.find(' ')) + "(";
  const std::size_t at = line.find(call);
  // Two calls in a line: which of them it was is not known.
  if (at == line.npos || line.find(call, at + 1) != line.npos) return {};
  const std::size_t begin = line.find('&', at);
  if (begin == line.npos || line.find(',', at) < begin) return {};
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.[]").find(c) != std::string_view::npos;
  };
  std::size_t end = begin + 1;
  while (end < line.size() && is_name(line[end])) ++end;
  return line.substr(begin + 1, end - begin - 1);
}

void set_line(AllocationName& memory, std::string file, int line) {
  memory.file = std::move(file);
  memory.line = line;
  memory.variable = variable_of(memory);
}

}  // namespace sim
