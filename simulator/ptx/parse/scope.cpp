#include "simulator/ptx/parse/scope.h"

#include <charconv>

namespace sim::ptx {

int& RegisterNames::Range::index(std::uint32_t number) {
  if (number < low.size() && low[number] >= 0) return low[number];
  if (const auto known = high.find(number); known != high.end()) return known->second;
  if (number > 2 * low.size() + 64) return high.emplace(number, -1).first->second;
  if (number >= low.size()) low.resize(number + 1, -1);
  return low[number];
}

int RegisterNames::find(std::string_view name, std::vector<Register>& all) {
  for (Range& range : ranges_) {
    if (name.size() <= range.prefix.size() || name.size() > range.prefix.size() + 9 ||
        name.substr(0, range.prefix.size()) != range.prefix) {
      continue;
    }
    const std::string_view digits = name.substr(range.prefix.size());
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole =
        parsed.ptr == digits.data() + digits.size() && (digits[0] != '0' || digits.size() == 1);
    if (!whole || number >= range.count) continue;
    int& index = range.index(number);
    if (index < 0) {
      index = static_cast<int>(all.size());
      all.push_back({std::string(name), range.type});
    }
    return index;
  }
  if (single_.empty()) return -1;
  const auto found = single_.find(name);
  return found == single_.end() ? -1 : found->second;
}

void Scopes::close() {
  Scope inner = std::move(scopes_.back());
  scopes_.pop_back();
  if (scopes_.empty()) return;
  // A label not defined here must be one of the enclosing scope.
  for (const auto& [name, label] : inner.labels) {
    if (labels_[label].instruction < 0) {
      const auto [place, added] = scopes_.back().labels.emplace(name, label);
      if (!added) labels_[label].same_as = place->second;
    }
  }
}

int Scopes::find_register(std::string_view name, std::vector<Register>& all) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const int index = scope->registers.find(name, all); index >= 0) return index;
  }
  return -1;
}

std::string Scopes::add_variable(std::string_view name) {
  const int count = ++variable_count_[name];
  std::string unique(name);
  if (count > 1) unique += "#" + std::to_string(count);
  scopes_.back().variables[name] = unique;
  return unique;
}

const std::string* Scopes::find_variable(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->variables.find(name); found != scope->variables.end())
      return &found->second;
  }
  return nullptr;
}

int Scopes::mention_label(std::string_view name, int ptx_line) {
  const auto [place, added] = scopes_.back().labels.emplace(name, static_cast<int>(labels_.size()));
  if (added) labels_.push_back({.name = name, .ptx_line = ptx_line});
  return place->second;
}

void Scopes::define_label(std::string_view name, int instruction, int ptx_line) {
  Label& label = labels_[mention_label(name, ptx_line)];
  if (label.instruction >= 0) throw ParseError(ptx_line, "label " + std::string(name) + " is defined twice");
  label.instruction = instruction;
}

int Scopes::resolve(int label) const {
  while (labels_[label].same_as >= 0) label = labels_[label].same_as;
  const Label& found = labels_[label];
  if (found.instruction < 0)
    throw ParseError(found.ptx_line, "no label " + std::string(found.name) + " here");
  return found.instruction;
}

}  // namespace sim::ptx
