// Operands: registers, immediates, symbols, addresses and lists of them.
#include <array>
#include <cmath>

#include "simulator/ptx/parse/parser.h"

namespace sim::ptx {
namespace {

constexpr int kDeepestOperand = 8;

bool branches(const std::string& opcode) { return opcode == "bra" || opcode == "brx"; }

bool special(std::string_view name) {
  static const std::unordered_set<std::string_view> kNames{"%tid",
                                                           "%ntid",
                                                           "%laneid",
                                                           "%warpid",
                                                           "%nwarpid",
                                                           "%ctaid",
                                                           "%nctaid",
                                                           "%smid",
                                                           "%nsmid",
                                                           "%gridid",
                                                           "%is_explicit_cluster",
                                                           "%clusterid",
                                                           "%nclusterid",
                                                           "%cluster_ctaid",
                                                           "%cluster_nctaid",
                                                           "%cluster_ctarank",
                                                           "%cluster_nctarank",
                                                           "%lanemask_eq",
                                                           "%lanemask_le",
                                                           "%lanemask_lt",
                                                           "%lanemask_ge",
                                                           "%lanemask_gt",
                                                           "%clock",
                                                           "%clock_hi",
                                                           "%clock64",
                                                           "%globaltimer",
                                                           "%globaltimer_lo",
                                                           "%globaltimer_hi",
                                                           "%total_smem_size",
                                                           "%aggr_smem_size",
                                                           "%dynamic_smem_size",
                                                           "%current_graph_exec"};
  return kNames.contains(name) || name.starts_with("%envreg") || name.starts_with("%reserved_smem_offset_") ||
         name.starts_with("%pm");
}

}  // namespace

/// One operand, with the second destination of `%r1|%p2`.
Operand Parser::operand(const std::string& opcode) {
  Operand result = simple_operand(opcode, 0);
  if (accept('|')) result.paired = std::make_shared<Operand>(simple_operand(opcode, 0));
  return result;
}

Operand Parser::simple_operand(const std::string& opcode, int depth) {
  if (depth > kDeepestOperand) fail("operands are nested too deeply");
  if (accept('{')) return {VectorUse{operand_list(opcode, '}', depth + 1)}, nullptr};
  if (accept('(')) return {VectorUse{operand_list(opcode, ')', depth + 1)}, nullptr};
  if (accept('[')) return bracket(opcode, depth + 1);
  if (accept('!')) {
    const Token name = expect_word("a predicate");
    const int index = find_register(name.text);
    if (index < 0) throw ParseError(name.line, "no register " + std::string(name.text));
    return {RegisterUse{index, true}, nullptr};
  }
  if (peek().kind == TokenKind::word) return named(next(), opcode);
  return {number(accept('-')), nullptr};
}

std::vector<Operand> Parser::operand_list(const std::string& opcode, char close, int depth) {
  std::vector<Operand> list;
  while (!peek().is(close)) {
    list.push_back(simple_operand(opcode, depth));
    if (!accept(',')) break;
  }
  expect(close);
  return list;
}

/// `[%rd1+16]`, `[symbol]`, `[16]`; with a comma inside, `[texture, {%f1, %f2}]`.
Operand Parser::bracket(const std::string& opcode, int depth) {
  Address address;
  if (peek().is_number() || peek().is('-')) {
    address.offset = static_cast<std::int64_t>(number(accept('-')).bits);
  } else {
    Operand base = named(expect_word("an address"), opcode);
    if (const auto* reg = std::get_if<RegisterUse>(&base.value)) {
      address.base = *reg;
    } else if (auto* symbol = std::get_if<SymbolUse>(&base.value)) {
      address.offset = symbol->offset;
      symbol->offset = 0;
      address.base = std::move(*symbol);
    } else {
      fail("this cannot be the base of an address");
    }
    if (peek().is('+') || peek().is('-')) address.offset += offset();
  }
  if (!peek().is(',')) {
    expect(']');
    return {std::move(address), nullptr};
  }
  BracketList list;
  if (address.offset != 0 || std::holds_alternative<std::monostate>(address.base)) {
    list.elements.push_back({std::move(address), nullptr});
  } else if (auto* reg = std::get_if<RegisterUse>(&address.base)) {
    list.elements.push_back({*reg, nullptr});
  } else {
    list.elements.push_back({std::get<SymbolUse>(std::move(address.base)), nullptr});
  }
  while (accept(',')) list.elements.push_back(simple_operand(opcode, depth));
  expect(']');
  return {std::move(list), nullptr};
}

/// A register, special register, variable, function or label.
Operand Parser::named(const Token& word, const std::string& opcode) {
  if (const int index = find_register(word.text); index >= 0) return {RegisterUse{index, false}, nullptr};
  if (word.text == "_") return {SinkUse{}, nullptr};
  if (auto found = special_register(word)) return std::move(*found);
  if (word.text == "WARP_SZ") return {Immediate{32, Type::s64}, nullptr};
  if (branches(opcode)) {
    if (const auto list = branch_targets_.find(word.text); list != branch_targets_.end()) {
      VectorUse targets;
      for (const int label : list->second) targets.elements.push_back({LabelUse{label}, nullptr});
      return {std::move(targets), nullptr};
    }
    return {LabelUse{scopes_.mention_label(word.text, word.line)}, nullptr};
  }
  SymbolUse symbol;
  if (const std::string* local = scopes_.find_variable(word.text)) {
    symbol.name = *local;
  } else {
    if (!known_symbol(word.text))
      throw ParseError(word.line, "no register or symbol " + std::string(word.text));
    symbol.name = word.text;
  }
  if (peek().is('+') || peek().is('-')) symbol.offset = offset();
  return {std::move(symbol), nullptr};
}

/// `%tid.x` and its like; a dot that touches the name belongs to it.
std::optional<Operand> Parser::special_register(const Token& word) {
  if (word.text[0] != '%' || !special(word.text)) return std::nullopt;
  std::string name(word.text);
  if (peek().kind == TokenKind::directive && !peek().spaced) name += "." + std::string(next().text);
  return Operand{SpecialRegister{std::move(name)}, nullptr};
}

bool Parser::known_symbol(std::string_view name) const {
  if (parameters_.contains(name) || symbols_.contains(name)) return true;
  for (const Prototype& prototype : function_->prototypes) {
    if (prototype.name == name) return true;
  }
  return false;
}

/// `+16`, `+-16`, `-16`
std::int64_t Parser::offset() {
  bool negative = next().is('-');
  if (accept('-')) negative = !negative;
  return static_cast<std::int64_t>(number(negative).bits);
}

Immediate Parser::number(bool negative) {
  if (!peek().is_number()) fail("expected an operand, found '" + std::string(peek().text) + "'");
  const Token token = next();
  switch (token.kind) {
    case TokenKind::single:
      return {negative ? token.bits ^ 0x8000'0000u : token.bits, Type::f32};
    case TokenKind::real:
      return {negative ? token.bits ^ (std::uint64_t{1} << 63) : token.bits, Type::f64};
    default:
      return {negative ? ~token.bits + 1 : token.bits,
              token.kind == TokenKind::unsigned_integer ? Type::u64 : Type::s64};
  }
}

}  // namespace sim::ptx
