// The parser's own state; users call ptx::parse().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/ptx/parse/lexer.h"
#include "simulator/ptx/parse/locations.h"
#include "simulator/ptx/parse/scope.h"
#include "simulator/ptx/program.h"

namespace sim::ptx {

std::optional<Type> type_named(std::string_view name);

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), locations_(module_) {}
  Module parse();

 private:
  // Tokens
  const Token& peek() const { return lexer_.peek(); }
  Token next() { return lexer_.next(); }
  bool accept(char c);
  void expect(char c);
  Token expect_word(const char* what);
  std::uint64_t expect_unsigned(const char* what, std::uint64_t limit);
  [[noreturn]] void fail(const std::string& what) const { throw ParseError(peek().line, what); }
  void skip_statement();
  void skip_braces();

  // Module scope: parser.cpp
  void module_directive();
  void version();
  void section();
  void alias();
  struct Linkage {
    bool is_extern = false;
    bool is_shared = false;  ///< .extern, .visible, .weak or .common: other files mean the same thing
  };
  void function(bool is_entry, Linkage linkage);
  void function_directives(Function& function);
  std::vector<Variable> parameters();
  void finish();

  // Variables: parse_variable.cpp
  struct Declaration {
    Type type = Type::none;
    std::uint32_t align = 0;
    std::uint32_t vector = 1;
    bool managed = false;
  };
  Declaration declaration();
  void attributes(Declaration& into);
  void variables(Space space, Linkage linkage, std::vector<Variable>& into);
  Variable variable(const Declaration& declaration, Space space, Linkage linkage);
  void extents(Variable& variable, std::uint64_t element, bool& open_ended);
  void initialiser(Variable& variable, std::uint64_t element);
  void initial_value(Variable& variable, std::uint64_t at, std::uint32_t width);
  void initial_list(Variable& variable, std::uint64_t& at, std::uint32_t width, int depth);
  void initial_symbol(Variable& variable, std::uint64_t at, std::uint32_t width, std::uint64_t mask);
  void registers();

  // Function bodies: parse_body.cpp
  void body(Function& function);
  void statement();
  void body_directive();
  void labelled(const Token& label);
  void callprototype(std::string_view name);
  void branchtargets(std::string_view name);
  void instruction(Guard guard, const Token& opcode);
  Guard guard();
  void resolve_labels();

  // Operands: parse_operand.cpp
  Operand operand(const std::string& opcode);
  Operand simple_operand(const std::string& opcode, int depth);
  std::vector<Operand> operand_list(const std::string& opcode, char close, int depth);
  Operand bracket(const std::string& opcode, int depth);
  Operand named(const Token& word, const std::string& opcode);
  std::optional<Operand> special_register(const Token& word);
  std::int64_t offset();
  Immediate number(bool negative);
  bool known_symbol(std::string_view name) const;
  int find_register(std::string_view name) { return scopes_.find_register(name, function_->registers); }

  Lexer lexer_;
  Module module_;
  Locations locations_;
  std::unordered_set<std::string_view> symbols_;  ///< module-scope variables and functions
  std::vector<std::pair<std::string, std::string>> aliases_;

  // The function at hand
  Function* function_ = nullptr;
  Scopes scopes_;
  int location_ = -1;
  std::unordered_set<std::string_view> parameters_;
  std::unordered_map<std::string_view, std::vector<int>> branch_targets_;
  std::vector<std::pair<std::size_t, std::size_t>> label_uses_;  ///< instruction, operand
};

}  // namespace sim::ptx
