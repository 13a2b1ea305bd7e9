// Source positions while parsing: `.loc` directives, and the function names that they borrow from .debug_str.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "simulator/ptx/parse/lexer.h"
#include "simulator/ptx/program.h"

namespace sim::ptx {

class Locations {
 public:
  explicit Locations(Module& module) : module_(module) {}

  /// `.file 1 "path"[, time, size]`, after the word `.file`.
  void parse_file(Lexer& lexer);
  /// `.loc file line column[, function_name label[+n], inlined_at file line column]`, after the word `.loc`.
  /// @return index into Module::locations
  int parse_loc(Lexer& lexer);
  /// The body of `.section .debug_str { label: .b8 ...; }`, after the opening brace; takes the closing one.
  void parse_strings(Lexer& lexer);
  /// Gives inlined locations their function's name; call once all sections are read.
  void name_functions();

 private:
  using SourcePosition = std::tuple<int, int, int>;  ///< file, line, column
  int add(const SourcePosition& place, std::string_view label, std::uint64_t offset, int inlined_at);

  Module& module_;
  std::map<std::tuple<SourcePosition, std::string_view, std::uint64_t, int>, int> known_;
  std::map<SourcePosition, int> latest_;
  struct Name {
    int location;
    std::string_view label;
    std::uint64_t offset;
  };
  std::vector<Name> names_;
  std::map<std::string_view, std::size_t> string_labels_;
  std::string strings_;
};

}  // namespace sim::ptx
