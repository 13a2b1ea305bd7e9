#include "simulator/ptx/program.h"

#include <algorithm>
#include <array>

namespace sim::ptx {
namespace {

struct TypeFacts {
  const char* name;
  int size;
};
/// In the order of enum Type.
constexpr std::array<TypeFacts, 25> kTypes{{
    {"", 0},    {"pred", 0},   {"b8", 1},         {"b16", 2},     {"b32", 4},    {"b64", 8}, {"b128", 16},
    {"u8", 1},  {"u16", 2},    {"u32", 4},        {"u64", 8},     {"s8", 1},     {"s16", 2}, {"s32", 4},
    {"s64", 8}, {"f16", 2},    {"f16x2", 4},      {"bf16", 2},    {"bf16x2", 4}, {"f32", 4}, {"tf32", 4},
    {"f64", 8}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
}};
static_assert(static_cast<std::size_t>(Type::surfref) + 1 == kTypes.size());

}  // namespace

ParseError::ParseError(int where, const std::string& what)
    : std::runtime_error("line " + std::to_string(where) + ": " + what), line(where) {}

bool Instruction::has(std::string_view qualifier) const {
  return std::find(qualifiers.begin(), qualifiers.end(), qualifier) != qualifiers.end();
}

int size_of(Type type) { return kTypes[static_cast<std::size_t>(type)].size; }

const char* name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::uint32_t Function::registers_by_bounds() const {
  if (max_registers != 0) return max_registers;
  if (max_threads == 0) return 0;
  // Each of four schedulers has 16384 registers for its share of the warps, and gives them out by eights a
  // thread.
  const std::uint64_t warps = (std::uint64_t{max_threads} + 31) / 32 * std::max(1u, min_blocks_per_sm);
  const std::uint64_t of_scheduler = (warps + 3) / 4, share = 16384 / 32 / of_scheduler / 8 * 8;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, 24, 255));
}

std::string Instruction::mnemonic() const {
  std::string text = opcode;
  for (const std::string& qualifier : qualifiers) text += "." + qualifier;
  return text;
}

const Function* Module::find(std::string_view name) const {
  const Function* declaration = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (!function.is_declaration) return &function;
    declaration = &function;
  }
  return declaration;
}

}  // namespace sim::ptx
