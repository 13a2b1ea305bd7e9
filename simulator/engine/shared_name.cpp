#include "simulator/engine/shared_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace sim::exec {

std::string source_name(const std::string& mangled) {
  int status = -1;
  char* text =
      mangled.starts_with("_Z") ? abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status) : nullptr;
  std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  if (const auto at = name.rfind("::"); at != name.npos) name = name.substr(at + 2);
  return name;
}

namespace {

/// Null where it is not known.
const SharedVariable* find_variable(const Code& code, u32 offset) {
  const SharedVariable* found = nullptr;
  for (const SharedVariable& v : code.shared) {
    if (offset < v.offset || (v.size != 0 && offset - v.offset >= v.size)) continue;
    if (found == nullptr || v.offset >= found->offset) found = &v;
  }
  return found;
}

}  // namespace

std::string variable_at(const Code& code, u32 offset) {
  const SharedVariable* const found = find_variable(code, offset);
  return found == nullptr ? "" : source_name(found->name);
}

std::string shared_name(const Code& code, u32 offset, u32 bytes) {
  const SharedVariable* const found = find_variable(code, offset);
  if (found == nullptr) return "";
  const std::string name = source_name(found->name);
  if (found->size == bytes) return name;
  return fmt::format("{}[{}]", name, (offset - found->offset) / std::max(bytes, 1u));
}

}  // namespace sim::exec
