#include "simulator/ptx/parse/locations.h"

#include <limits>

namespace sim::ptx {
namespace {

int small_number(Lexer& lexer) {
  const Token token = lexer.next();
  if (token.kind != TokenKind::integer || token.bits > std::numeric_limits<int>::max()) {
    throw ParseError(token.line,
                     "expected a number in .loc or .file, found '" + std::string(token.text) + "'");
  }
  return static_cast<int>(token.bits);
}

}  // namespace

void Locations::parse_file(Lexer& lexer) {
  const int line = lexer.peek().line;
  const auto index = static_cast<std::size_t>(small_number(lexer));
  if (index > 100'000) throw ParseError(line, "a file number above 100000");
  const Token path = lexer.next();
  if (path.kind != TokenKind::string) throw ParseError(path.line, "expected a quoted file name");
  if (module_.files.size() <= index) module_.files.resize(index + 1);
  module_.files[index] = path.text;
  while (lexer.peek().is(',')) {
    lexer.next();
    lexer.next();
  }
}

int Locations::parse_loc(Lexer& lexer) {
  const int file = small_number(lexer), line = small_number(lexer), column = small_number(lexer);
  const SourcePosition place{file, line, column};
  std::string_view label;
  std::uint64_t offset = 0;
  int inlined_at = -1;
  while (lexer.peek().is(',')) {
    lexer.next();
    const Token word = lexer.next();
    if (word.is_word("function_name")) {
      label = lexer.next().text;
      if (lexer.peek().is('+')) {
        lexer.next();
        offset = lexer.next().bits;
      }
    } else if (word.is_word("inlined_at")) {
      const int at_file = small_number(lexer), at_line = small_number(lexer), at_column = small_number(lexer);
      const SourcePosition at{at_file, at_line, at_column};
      const auto caller = latest_.find(at);
      inlined_at = caller == latest_.end() ? add(at, {}, 0, -1) : caller->second;
    } else {
      throw ParseError(word.line, "unknown attribute '" + std::string(word.text) + "' of .loc");
    }
  }
  const int location = add(place, label, offset, inlined_at);
  latest_[place] = location;
  return location;
}

int Locations::add(const SourcePosition& place, std::string_view label, std::uint64_t offset,
                   int inlined_at) {
  const auto [at, added] = known_.emplace(std::tuple(place, label, offset, inlined_at),
                                          static_cast<int>(module_.locations.size()));
  if (added) {
    const auto [file, line, column] = place;
    module_.locations.push_back({file, line, column, {}, inlined_at});
    if (!label.empty()) names_.push_back({at->second, label, offset});
  }
  return at->second;
}

void Locations::parse_strings(Lexer& lexer) {
  while (!lexer.peek().is('}')) {
    const Token token = lexer.next();
    if (token.kind == TokenKind::end) throw ParseError(token.line, "a section without its closing brace");
    if (token.kind == TokenKind::word && lexer.peek().is(':')) string_labels_[token.text] = strings_.size();
    if (token.is_number()) strings_ += static_cast<char>(token.bits);
  }
  lexer.next();
}

void Locations::name_functions() {
  for (const Name& name : names_) {
    const auto label = string_labels_.find(name.label);
    if (label == string_labels_.end() || name.offset >= strings_.size() - label->second) continue;
    const std::size_t start = label->second + name.offset;
    module_.locations[name.location].function = strings_.substr(start, strings_.find('\0', start) - start);
  }
}

const Location& user_location(const Module& module, int location) {
  static const Location nowhere{};
  if (location < 0 || location >= static_cast<int>(module.locations.size())) return nowhere;
  const Location* at = &module.locations[location];
  // An inlined_at index is always smaller than its location's own, so this ends.
  while (at->inlined_at >= 0) {
    const bool known = at->file > 0 && at->file < static_cast<int>(module.files.size());
    if (at->line > 0 && known && !is_toolkit_file(module.files[at->file])) break;
    at = &module.locations[at->inlined_at];
  }
  return *at;
}

}  // namespace sim::ptx
