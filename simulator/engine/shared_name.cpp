#include "simulator/engine/shared_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "language/catalogue.h"

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

const SharedVariable* find_shared(const Code& code, u32 offset) {
  const SharedVariable* found = nullptr;
  for (const SharedVariable& v : code.shared) {
    if (offset < v.offset || (v.size != 0 && offset - v.offset >= v.size)) continue;
    if (found == nullptr || v.offset >= found->offset) found = &v;
  }
  return found;
}

std::string variable_at(const Code& code, u32 offset) {
  const SharedVariable* const found = find_shared(code, offset);
  return found == nullptr ? "" : source_name(found->name);
}

ArrayShape shape_of(const SharedVariable& variable, u32 bytes) {
  const std::string name = source_name(variable.name);
  if (variable.type == nullptr) return {name, bytes, {variable.size / bytes}};
  const ptx::SourceType& type = *variable.type;
  if (type.extents.empty()) return {};
  ArrayShape shape{name, u32(type.element->size), type.extents};
  if (shape.extents[0] == 0) shape.extents[0] = variable.size / type.element->size;  // dynamic
  return shape;
}

namespace {

std::string part_name(std::string name, const ptx::SourceType& type, s64 offset, u32 bytes) {
  if (!type.extents.empty()) {
    const s64 size = s64(type.element->size);
    name = sim::element_name({std::move(name), u32(size), type.extents}, offset);
    return part_name(std::move(name), *type.element, (offset % size + size) % size, bytes);
  }
  if (bytes >= type.size) return name;
  for (const ptx::SourceType::Member& member : type.members)
    if (offset >= s64(member.offset) && offset < s64(member.offset + member.type->size))
      return part_name(name + "." + member.name, *member.type, offset - s64(member.offset), bytes);
  return name;
}

}  // namespace

std::string element_name(const SharedVariable& variable, s64 offset, u32 bytes) {
  bytes = std::max(bytes, 1u);
  const std::string name = source_name(variable.name);
  if (variable.type != nullptr) return part_name(name, *variable.type, offset, bytes);
  return variable.size == bytes && offset == 0 ? name : sim::element_name(shape_of(variable, bytes), offset);
}

std::string extent_in_words(const SharedVariable& variable, u32 bytes) {
  const ArrayShape shape = shape_of(variable, std::max(bytes, 1u));
  return shape.known() ? sim::extent_in_words(shape)
                       : tr("{} has {} bytes", source_name(variable.name), variable.size);
}

std::string shared_name(const Code& code, u32 offset, u32 bytes) {
  const SharedVariable* const found = find_shared(code, offset);
  return found == nullptr ? "" : element_name(*found, s64(offset) - s64(found->offset), bytes);
}

}  // namespace sim::exec
