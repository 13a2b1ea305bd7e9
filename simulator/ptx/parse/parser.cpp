// Module scope: directives, functions' heads, sections.
#include "simulator/ptx/parse/parser.h"

#include <algorithm>
#include <charconv>

namespace sim::ptx {

Module parse(std::string_view text) { return Parser(text).parse(); }

Module Parser::parse() {
  while (peek().kind != TokenKind::end) module_directive();
  finish();
  return std::move(module_);
}

bool Parser::accept(char c) {
  if (!peek().is(c)) return false;
  next();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c)) fail(std::string("expected '") + c + "', found '" + std::string(peek().text) + "'");
}

Token Parser::expect_word(const char* what) {
  if (peek().kind != TokenKind::word) {
    fail(std::string("expected ") + what + ", found '" + std::string(peek().text) + "'");
  }
  return next();
}

std::uint64_t Parser::expect_unsigned(const char* what, std::uint64_t limit) {
  const Token& token = peek();
  const bool integer = token.kind == TokenKind::integer || token.kind == TokenKind::unsigned_integer;
  if (!integer) fail(std::string("expected ") + what + ", found '" + std::string(token.text) + "'");
  if (token.bits > limit) fail(std::string(what) + " " + std::string(token.text) + " is too large");
  return next().bits;
}

/// Skips to the end of a directive that means nothing to an interpreter.
void Parser::skip_statement() {
  while (peek().kind != TokenKind::end && !peek().is(';') && !peek().is('{')) next();
  if (peek().is('{')) {
    skip_braces();
  } else {
    accept(';');
  }
}

void Parser::skip_braces() {
  expect('{');
  for (int depth = 1; depth > 0;) {
    if (peek().kind == TokenKind::end) fail("a brace is never closed");
    const Token token = next();
    depth += token.is('{') - token.is('}');
  }
}

void Parser::module_directive() {
  Linkage linkage;
  while (peek().kind == TokenKind::directive) {
    const std::string_view name = peek().text;
    if (name == "extern") {
      linkage.is_extern = true;
    } else if (name != "visible" && name != "weak" && name != "common") {
      break;
    }
    linkage.is_shared = true;
    next();
  }
  if (accept(';')) return;
  if (peek().kind != TokenKind::directive) {
    fail("expected a directive, found '" + std::string(peek().text) + "'");
  }
  const std::string_view name = next().text;
  if (name == "version") return version();
  if (name == "target") {
    module_.target = expect_word("a target").text;
    while (accept(',')) module_.debug |= expect_word("a target option").text == "debug";
    return;
  }
  if (name == "address_size") {
    if (expect_unsigned("address size", 64) != 64) fail("only 64-bit addresses are supported");
    return;
  }
  if (name == "entry" || name == "func") return function(name == "entry", linkage);
  if (name == "global") return variables(Space::global, linkage, module_.variables);
  if (name == "const") return variables(Space::constant, linkage, module_.variables);
  if (name == "shared") return variables(Space::shared, linkage, module_.variables);
  if (name == "local") return variables(Space::local, linkage, module_.variables);
  if (name == "file") return locations_.parse_file(lexer_);
  if (name == "section") return section();
  if (name == "alias") return alias();
  if (name == "loc") {
    locations_.parse_loc(lexer_);
    return;
  }
  if (name == "pragma") return skip_statement();
  throw ParseError(peek().line, "unknown directive ." + std::string(name));
}

/// "8.4" arrives as one decimal literal; its text holds both parts.
void Parser::version() {
  const Token token = next();
  const char* end = token.text.data() + token.text.size();
  const auto major = std::from_chars(token.text.data(), end, module_.version_major);
  if (token.kind != TokenKind::real || major.ec != std::errc{} || major.ptr == end) {
    throw ParseError(token.line, "expected a version such as 8.4");
  }
  std::from_chars(major.ptr + 1, end, module_.version_minor);
}

void Parser::section() {
  const Token name = next();
  if (name.is_directive("debug_str")) {
    expect('{');
    locations_.parse_strings(lexer_);
  } else {
    skip_braces();
  }
}

void Parser::alias() {
  const std::string_view name = expect_word("a function name").text;
  expect(',');
  aliases_.emplace_back(name, expect_word("a function name").text);
  expect(';');
}

std::vector<Variable> Parser::parameters() {
  std::vector<Variable> list;
  expect('(');
  while (!peek().is(')')) {
    const Token space = next();
    if (!space.is_directive("param") && !space.is_directive("reg")) {
      throw ParseError(space.line, "expected .param or .reg, found '" + std::string(space.text) + "'");
    }
    const Declaration kind = declaration();
    list.push_back(variable(kind, space.text == "reg" ? Space::reg : Space::param, {}));
    if (!accept(',')) break;
  }
  expect(')');
  return list;
}

void Parser::function(bool is_entry, Linkage linkage) {
  Function result;
  result.is_entry = is_entry;
  while (peek().is_directive("attribute") || peek().is_directive("noreturn")) {
    if (next().text == "attribute") {
      Declaration ignored;
      attributes(ignored);
    }
  }
  if (peek().is('(')) result.results = parameters();
  const Token name = expect_word("a function name");
  result.name = name.text;
  symbols_.insert(name.text);
  if (peek().is('(')) result.params = parameters();
  function_directives(result);
  result.is_private = !linkage.is_shared;
  result.is_declaration = linkage.is_extern || !peek().is('{');
  if (peek().is('{')) {
    result.is_declaration = false;
    body(result);
  } else {
    expect(';');
  }
  module_.functions.push_back(std::move(result));
}

/// Between a function's head and its body: launch bounds, and hints that change nothing here.
void Parser::function_directives(Function& function) {
  while (peek().kind == TokenKind::directive) {
    const std::string_view name = next().text;
    if (name == "reqnctapercluster") {
      function.cluster = {1, 1, 1};
      std::size_t i = 0;
      do {
        const auto extent = expect_unsigned("extent", 1024);
        if (i < function.cluster.size()) function.cluster[i++] = static_cast<std::uint32_t>(extent);
      } while (accept(','));
    } else if (name == "blocksareclusters") {
      function.blocks_are_clusters = true;
    } else if (name == "maxntid" || name == "reqntid") {
      std::uint64_t product = 1;
      do {
        product *= expect_unsigned("extent", 1024 * 1024);
      } while (accept(','));
      function.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, ~0u));
    } else if (name == "maxnreg") {
      function.max_registers = static_cast<std::uint32_t>(expect_unsigned("count", 1024));
    } else if (name == "minnctapersm") {
      function.min_blocks_per_sm = static_cast<std::uint32_t>(expect_unsigned("count", 1024));
    } else {
      while (peek().is_number() || peek().is(',') || peek().kind == TokenKind::string) next();
      if (name == "pragma" || name == "loc") accept(';');
    }
  }
}

void Parser::finish() {
  locations_.name_functions();
  for (const auto& [name, target] : aliases_) {
    const Function* aliased = module_.find(target);
    if (!aliased) throw ParseError(peek().line, ".alias of " + target + ", which does not exist");
    Function copy = *aliased;
    copy.name = name;
    std::erase_if(module_.functions, [&alias = name](const Function& f) { return f.name == alias; });
    module_.functions.push_back(std::move(copy));
  }
  for (const Variable& variable : module_.variables) {
    for (const Variable::Relocation& relocation : variable.relocations) {
      if (!symbols_.contains(relocation.symbol)) {
        throw ParseError(peek().line,
                         variable.name + " refers to " + relocation.symbol + ", which does not exist");
      }
    }
  }
}

}  // namespace sim::ptx
