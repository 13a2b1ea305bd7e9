// Names inside one function: registers, variables and labels, by nested { } scope.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/ptx/program.h"

namespace sim::ptx {

/// Registers by name. `.reg .f32 %f<100>` is kept as a range, whose registers come into being when they are
/// first used: what a declaration costs does not depend on the number in it.
class RegisterNames {
 public:
  void add(std::string_view name, int index) { single_[name] = index; }
  void add_range(std::string_view prefix, std::uint32_t count, Type type) {
    ranges_.push_back({prefix, count, type, {}, {}});
  }
  /// Index of a register among @p all, to which one of a range is added at its first use; -1
  /// when there is none.
  int find(std::string_view name, std::vector<Register>& all);

 private:
  struct Range {
    std::string_view prefix;
    std::uint32_t count;
    Type type;
    std::vector<int> low;                         ///< indices by number; -1: not used yet
    std::unordered_map<std::uint32_t, int> high;  ///< of numbers far above those used before
    int& index(std::uint32_t number);
  };
  std::unordered_map<std::string_view, int> single_;
  std::vector<Range> ranges_;
};

/// The scopes of a function that is being parsed, innermost last. Labels may be used before they are defined:
/// each gets a number at its first mention, and resolve() turns numbers into instruction indices at the end.
class Scopes {
 public:
  void open() { scopes_.emplace_back(); }
  void close();
  std::size_t depth() const { return scopes_.size(); }

  RegisterNames& registers() { return scopes_.back().registers; }
  /// As RegisterNames::find, from the innermost scope outwards.
  int find_register(std::string_view name, std::vector<Register>& all);

  /// Declares a variable of the innermost scope; returns the name it has in Function::variables.
  std::string add_variable(std::string_view name);
  /// The unique name of a variable in sight, null when there is none.
  const std::string* find_variable(std::string_view name) const;

  /// The number of a label mentioned in the innermost scope.
  int mention_label(std::string_view name, int ptx_line);
  /// @throws ParseError when the innermost scope defines it already
  void define_label(std::string_view name, int instruction, int ptx_line);
  /// The instruction behind a label's number. @throws ParseError when it was never defined.
  /// After the last close().
  int resolve(int label) const;

 private:
  struct Label {
    std::string_view name;
    int instruction = -1;
    int same_as = -1;  ///< the enclosing scope's label that this mention turned out to mean
    int ptx_line = 0;
  };
  struct Scope {
    RegisterNames registers;
    std::unordered_map<std::string_view, std::string> variables;
    std::unordered_map<std::string_view, int> labels;
  };
  std::vector<Scope> scopes_;
  std::vector<Label> labels_;
  std::unordered_map<std::string_view, int> variable_count_;
};

}  // namespace sim::ptx
