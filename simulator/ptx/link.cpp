#include "simulator/ptx/link.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace sim::ptx {
namespace {

using Names = std::map<std::string, std::string>;  ///< old name to new

/// Replaces names in everything that an operand consists of.
void rename(Operand& operand, const Names& names) {
  const auto replace = [&](SymbolUse& use) {
    if (const auto found = names.find(use.name); found != names.end()) use.name = found->second;
  };
  if (auto* use = std::get_if<SymbolUse>(&operand.value)) replace(*use);
  if (auto* address = std::get_if<Address>(&operand.value))
    if (auto* use = std::get_if<SymbolUse>(&address->base)) replace(*use);
  if (auto* vector = std::get_if<VectorUse>(&operand.value))
    for (Operand& element : vector->elements) rename(element, names);
  if (auto* list = std::get_if<BracketList>(&operand.value))
    for (Operand& element : list->elements) rename(element, names);
  if (operand.paired) rename(*operand.paired, names);
}

void rename(Function& function, Names names) {
  if (const auto found = names.find(function.name); found != names.end()) function.name = found->second;
  // A name of the function's own hides the module's.
  for (const auto* own : {&function.params, &function.results, &function.variables})
    for (const Variable& variable : *own) names.erase(variable.name);
  if (names.empty()) return;
  for (Instruction& instruction : function.body)
    for (Operand& operand : instruction.operands) rename(operand, names);
}

void rename(Variable& variable, const Names& names) {
  if (const auto found = names.find(variable.name); found != names.end()) variable.name = found->second;
  for (Variable::Relocation& relocation : variable.relocations)
    if (const auto found = names.find(relocation.symbol); found != names.end())
      relocation.symbol = found->second;
}

/// Gives new names to what is private to a module and called like something in the modules before it.
void keep_private(Module& module, std::size_t number, std::set<std::string>& taken) {
  Names names;
  const auto consider = [&](const auto& item) {
    if (item.is_private && taken.contains(item.name))
      names[item.name] = item.name + "$" + std::to_string(number);
  };
  for (const Function& function : module.functions) consider(function);
  for (const Variable& variable : module.variables) consider(variable);
  if (!names.empty()) {
    for (Function& function : module.functions) rename(function, names);
    for (Variable& variable : module.variables) rename(variable, names);
  }
  for (const Function& function : module.functions) taken.insert(function.name);
  for (const Variable& variable : module.variables) taken.insert(variable.name);
}

/// Appends a module's files and source locations, and points its instructions to where they now are.
void append_locations(Module& whole, Module& part) {
  const auto files = static_cast<int>(whole.files.size()),
             locations = static_cast<int>(whole.locations.size());
  for (Location& at : part.locations) {
    at.file += files;
    if (at.inlined_at >= 0) at.inlined_at += locations;
  }
  for (Function& function : part.functions)
    for (Instruction& instruction : function.body)
      if (instruction.location >= 0) instruction.location += locations;
  std::move(part.files.begin(), part.files.end(), std::back_inserter(whole.files));
  std::move(part.locations.begin(), part.locations.end(), std::back_inserter(whole.locations));
}

/// Keeps the first definition of each name, and a declaration only where there is no definition.
template <class T, class IsDefinition>
void drop_repeats(std::vector<T>& items, IsDefinition is_definition) {
  std::map<std::string, const T*> chosen;
  for (const T& item : items) {
    const auto [at, fresh] = chosen.try_emplace(item.name, &item);
    if (!fresh && !is_definition(*at->second) && is_definition(item)) at->second = &item;
  }
  std::vector<T> kept;
  for (T& item : items)
    if (chosen.at(item.name) == &item) kept.push_back(std::move(item));
  items = std::move(kept);
}

}  // namespace

Module link(std::vector<Module> modules) {
  Module whole = std::move(modules.front());
  std::set<std::string> taken;
  keep_private(whole, 0, taken);
  for (std::size_t i = 1; i < modules.size(); ++i) {
    keep_private(modules[i], i, taken);
    append_locations(whole, modules[i]);
    std::move(modules[i].functions.begin(), modules[i].functions.end(), std::back_inserter(whole.functions));
    std::move(modules[i].variables.begin(), modules[i].variables.end(), std::back_inserter(whole.variables));
  }
  drop_repeats(whole.functions, [](const Function& function) { return !function.is_declaration; });
  drop_repeats(whole.variables, [](const Variable& variable) { return !variable.is_extern; });
  return whole;
}

}  // namespace sim::ptx
