// Variables, their initialisers, and register declarations.
#include <bit>
#include <cstring>

#include "simulator/ptx/parse/parser.h"

namespace sim::ptx {
namespace {

constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
constexpr std::size_t kMaxInitialBytes = std::size_t{1} << 28;
constexpr std::uint64_t kMaxRegisters = 999'999'999;
constexpr int kDeepestInitialiser = 16;

/// Little-endian, as device memory.
void store(Variable& variable, std::uint64_t at, std::uint64_t bits, std::uint32_t width) {
  if (variable.initial.size() < at + width) variable.initial.resize(at + width);
  std::memcpy(variable.initial.data() + at, &bits, std::min<std::uint32_t>(width, 8));
}

}  // namespace

/// `.align 8 .b8`, `.v4 .f32`, `.u64 .ptr .global .align 4`: everything between the space and the name.
Parser::Declaration Parser::declaration() {
  Declaration result;
  while (peek().kind == TokenKind::directive) {
    const Token token = next();
    if (token.text == "align") {
      const auto align = expect_unsigned("alignment", 4096);
      if (!std::has_single_bit(align)) fail("an alignment must be a power of two");
      // `.ptr .align n` speaks of what a pointer parameter points to.
      if (result.type == Type::none) result.align = static_cast<std::uint32_t>(align);
    } else if (token.text == "attribute") {
      attributes(result);
    } else if (token.text == "v2" || token.text == "v4" || token.text == "v8") {
      result.vector = static_cast<std::uint32_t>(token.text[1] - '0');
    } else if (const auto type = type_named(token.text)) {
      result.type = *type;
    } else if (token.text != "ptr" && token.text != "global" && token.text != "const" &&
               token.text != "shared" && token.text != "local") {
      throw ParseError(token.line, "unknown type ." + std::string(token.text));
    }
  }
  if (result.type == Type::none) fail("a declaration without a type");
  return result;
}

/// `.attribute(.managed)`, `.attribute(.managed, .unified(1, 2))`
void Parser::attributes(Declaration& into) {
  expect('(');
  for (int depth = 1; depth > 0;) {
    if (peek().kind == TokenKind::end) fail("a parenthesis is never closed");
    const Token token = next();
    depth += token.is('(') - token.is(')');
    into.managed |= token.is_directive("managed");
  }
}

/// One directive may declare several variables: `.shared .b32 a, b[4];`
void Parser::variables(Space space, Linkage linkage, std::vector<Variable>& into) {
  if (peek().kind == TokenKind::punctuation && peek().is('[')) fail("constant banks are not supported");
  const Declaration kind = declaration();
  do {
    const std::string_view name = peek().text;
    Variable result = variable(kind, space, linkage);
    if (function_) {
      result.name = scopes_.add_variable(name);
    } else {
      symbols_.insert(name);
    }
    into.push_back(std::move(result));
  } while (accept(','));
  expect(';');
}

Variable Parser::variable(const Declaration& declaration, Space space, Linkage linkage) {
  Variable result;
  result.name = expect_word("a name").text;
  result.space = space;
  result.type = declaration.type;
  result.is_extern = linkage.is_extern;
  result.is_private = !linkage.is_shared;
  result.managed = declaration.managed;
  const std::uint64_t element = std::uint64_t(size_of(declaration.type)) * declaration.vector;
  result.align =
      declaration.align ? declaration.align : std::max<std::uint32_t>(1, static_cast<std::uint32_t>(element));
  result.size = element;
  bool open_ended = false;
  if (peek().is('[')) extents(result, element, open_ended);
  if (accept('=')) initialiser(result, element);
  if (open_ended && element == 0) fail("an array of a type without a size");
  if (open_ended) result.size = (result.initial.size() + element - 1) / element * element;
  if (result.initial.size() > result.size) fail(result.name + " has more initial values than elements");
  return result;
}

void Parser::extents(Variable& variable, std::uint64_t element, bool& open_ended) {
  variable.size = element;
  while (accept('[')) {
    if (accept(']')) {
      open_ended = true;
      continue;
    }
    const std::uint64_t count = expect_unsigned("array extent", kMaxVariableBytes);
    if (count && variable.size > kMaxVariableBytes / count) fail("the array is too large");
    variable.size *= count;
    expect(']');
  }
}

void Parser::initialiser(Variable& variable, std::uint64_t element) {
  const auto width = static_cast<std::uint32_t>(size_of(variable.type));
  if (width == 0 || element == 0) fail("a variable of this type cannot be initialised");
  std::uint64_t at = 0;
  if (peek().is('{')) {
    initial_list(variable, at, width, 0);
  } else {
    initial_value(variable, 0, width);
  }
}

void Parser::initial_list(Variable& variable, std::uint64_t& at, std::uint32_t width, int depth) {
  if (depth > kDeepestInitialiser) fail("initialisers are nested too deeply");
  expect('{');
  while (!peek().is('}')) {
    if (peek().is('{')) {
      initial_list(variable, at, width, depth + 1);
    } else {
      if (at > kMaxInitialBytes) fail("the initialiser is too large");
      initial_value(variable, at, width);
      at += width;
    }
    if (!accept(',')) break;
  }
  expect('}');
}

/// A number, `f`, `f+8`, `generic(v)+8`, or one byte of an address: `0xFF00(f)`.
void Parser::initial_value(Variable& variable, std::uint64_t at, std::uint32_t width) {
  if (peek().kind == TokenKind::word) return initial_symbol(variable, at, width, 0);
  const bool negative = accept('-');
  const Immediate value = number(negative);
  if (peek().is('(')) {
    next();
    initial_symbol(variable, at, width, value.bits);
    expect(')');
    return;
  }
  std::uint64_t bits = value.bits;
  if (value.type == Type::f64 && variable.type == Type::f32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  store(variable, at, bits, width);
}

/// @param mask 0 for the whole address, else the byte of it that goes here; the bytes of one address follow
/// each other, so the lowest one stands for all.
void Parser::initial_symbol(Variable& variable, std::uint64_t at, std::uint32_t width, std::uint64_t mask) {
  Token name = expect_word("a symbol");
  const bool generic = name.is_word("generic") && peek().is('(');
  if (generic) {
    next();
    name = expect_word("a symbol");
    expect(')');
  }
  const std::int64_t addend = peek().is('+') || peek().is('-') ? offset() : 0;
  store(variable, at, 0, width);
  if (mask == 0 && width < 4) fail("an address does not fit into an element of " + variable.name);
  if (mask != 0 && width != 1) fail("a masked address in a variable that is not made of bytes");
  if (mask > 0xFF) return;
  const std::uint32_t size = mask ? 8 : width;
  variable.relocations.push_back({at, std::string(name.text), addend, generic, size});
}

/// Registers of 8 bits can be loaded, stored and converted, and each of these takes the low part
/// of a wider one.
static Type held_in_16_bits(Type type) {
  return type == Type::u8 ? Type::u16 : type == Type::s8 ? Type::s16 : type == Type::b8 ? Type::b16 : type;
}

/// `.reg .f32 %f<10>;`, `.reg .pred p, q;`, `.reg .b32 temp_param_reg;`
void Parser::registers() {
  const Declaration kind = declaration();
  if (kind.vector != 1) fail("vector registers are not supported");
  const Type type = held_in_16_bits(kind.type);
  auto& all = function_->registers;
  do {
    const Token name = expect_word("a register name");
    if (accept('<')) {
      const auto count = static_cast<std::uint32_t>(expect_unsigned("register count", kMaxRegisters));
      expect('>');
      scopes_.registers().add_range(name.text, count, type);
    } else {
      scopes_.registers().add(name.text, static_cast<int>(all.size()));
      all.push_back({std::string(name.text), type});
    }
  } while (accept(','));
  expect(';');
}

}  // namespace sim::ptx
