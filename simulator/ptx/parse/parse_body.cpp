// Function bodies: scopes, labels and instructions.
#include "simulator/ptx/parse/parser.h"
#include "simulator/ptx/spelling.h"

namespace sim::ptx {
namespace {
constexpr std::size_t kMaxScopes = 256;
}

void Parser::body(Function& function) {
  function_ = &function;
  scopes_ = Scopes();
  parameters_.clear();
  branch_targets_.clear();
  label_uses_.clear();
  location_ = -1;
  scopes_.open();
  for (auto* list : {&function.params, &function.results}) {
    for (const Variable& variable : *list) {
      if (variable.space == Space::reg) {
        scopes_.registers().add(variable.name, static_cast<int>(function.registers.size()));
        function.registers.push_back({variable.name, variable.type});
      } else {
        parameters_.insert(variable.name);
      }
    }
  }
  expect('{');
  while (scopes_.depth() > 0) statement();
  resolve_labels();
  function_ = nullptr;
}

void Parser::statement() {
  const Token& token = peek();
  if (token.kind == TokenKind::end) fail("the body of " + function_->name + " is never closed");
  if (token.is('{')) {
    if (scopes_.depth() >= kMaxScopes) fail("scopes are nested too deeply");
    next();
    return scopes_.open();
  }
  if (token.is('}')) {
    next();
    return scopes_.close();
  }
  if (accept(';')) return;
  if (token.kind == TokenKind::directive) return body_directive();
  const Guard when = guard();
  const Token word = expect_word("an instruction");
  if (peek().is(':') && when.predicate < 0) {
    next();
    return labelled(word);
  }
  instruction(when, word);
}

void Parser::body_directive() {
  const Token directive = next();
  const std::string_view name = directive.text;
  if (name == "loc") {
    location_ = locations_.parse_loc(lexer_);
  } else if (name == "reg") {
    registers();
  } else if (name == "local") {
    variables(Space::local, {}, function_->variables);
  } else if (name == "shared") {
    variables(Space::shared, {}, function_->variables);
  } else if (name == "param") {
    variables(Space::param, {}, function_->variables);
  } else if (name == "global") {
    variables(Space::global, {}, function_->variables);
  } else if (name == "const") {
    variables(Space::constant, {}, function_->variables);
  } else if (name == "file") {
    locations_.parse_file(lexer_);
  } else if (name == "pragma") {
    skip_statement();
  } else if (name == "section") {
    section();
  } else {
    throw ParseError(directive.line, "unknown directive ." + std::string(name) + " in a function");
  }
}

void Parser::labelled(const Token& label) {
  if (peek().is_directive("callprototype")) {
    next();
    callprototype(label.text);
  } else if (peek().is_directive("branchtargets") || peek().is_directive("calltargets")) {
    const bool branches = next().text == "branchtargets";
    branches ? branchtargets(label.text) : skip_statement();
  } else {
    scopes_.define_label(label.text, static_cast<int>(function_->body.size()), label.line);
  }
}

/// `prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);`
void Parser::callprototype(std::string_view name) {
  Prototype prototype{std::string(name), {}, {}};
  if (peek().is('(')) prototype.results = parameters();
  expect_word("'_'");
  if (peek().is('(')) prototype.params = parameters();
  while (peek().kind == TokenKind::directive) next();
  expect(';');
  function_->prototypes.push_back(std::move(prototype));
}

void Parser::branchtargets(std::string_view name) {
  std::vector<int>& targets = branch_targets_[name];
  do {
    const Token label = expect_word("a label");
    targets.push_back(scopes_.mention_label(label.text, label.line));
  } while (accept(','));
  expect(';');
}

Guard Parser::guard() {
  Guard result;
  if (!accept('@')) return result;
  result.negated = accept('!');
  const Token name = expect_word("a predicate");
  result.predicate = find_register(name.text);
  if (result.predicate < 0) throw ParseError(name.line, "no register " + std::string(name.text));
  if (function_->registers[result.predicate].type != Type::pred) {
    throw ParseError(name.line, std::string(name.text) + " guards an instruction but is not a predicate");
  }
  return result;
}

void Parser::instruction(Guard when, const Token& opcode) {
  Instruction& result = function_->body.emplace_back();
  result.opcode = opcode.text;
  result.guard = when;
  result.ptx_line = opcode.line;
  result.location = location_;
  while (peek().kind == TokenKind::directive) result.qualifiers.emplace_back(next().text);
  order_qualifiers(result);
  if (!peek().is(';')) {
    do {
      result.operands.push_back(operand(result.opcode));
    } while (accept(','));
  }
  expect(';');
  for (std::size_t i = 0; i < result.operands.size(); ++i) {
    const auto& value = result.operands[i].value;
    if (std::holds_alternative<LabelUse>(value) || (result.opcode == "brx" && i > 0)) {
      label_uses_.emplace_back(function_->body.size() - 1, i);
    }
  }
}

/// Turns the numbers of labels into indices of instructions.
void Parser::resolve_labels() {
  for (const auto& [instruction, index] : label_uses_) {
    Operand& use = function_->body[instruction].operands[index];
    if (auto* label = std::get_if<LabelUse>(&use.value)) {
      label->target = scopes_.resolve(label->target);
    } else if (auto* list = std::get_if<VectorUse>(&use.value)) {
      for (Operand& element : list->elements) {
        if (auto* target = std::get_if<LabelUse>(&element.value))
          target->target = scopes_.resolve(target->target);
      }
    }
  }
}

}  // namespace sim::ptx
