// Vector loads of which not all elements are used: ptxas loads what is. Seen in its output for sm_90: of four
// elements of 4 bytes a half that is used becomes a load of 8 bytes, single elements one load each, and three
// stay one load of 16 bytes; of elements of 2 bytes only a half is left out; of two elements the unused one.
#include <algorithm>

#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

bool is_vector_load(const IrInstruction& d) {
  const auto& all = d.source->qualifiers;
  const auto has = [&](std::string_view q) { return std::find(all.begin(), all.end(), q) != all.end(); };
  return d.source->opcode == "ld" && !d.fused && !has("volatile") && (has("v2") || has("v4")) &&
         (has("global") || has("shared") || has("shared::cta"));
}

/// @param used  a bit for each element
NarrowedLoad narrowed_load(unsigned used, int elements, int bytes) {
  const auto one = [](int at, int size) { return NarrowedLoad{1, u8(size), {u8(at), 0}}; };
  if (elements == 2) return used == 1 ? one(0, bytes) : used == 2 ? one(bytes, bytes) : NarrowedLoad{};
  if (used == 0b0011 || used == 0b1100) return one(used == 0b0011 ? 0 : 2 * bytes, 2 * bytes);
  if (bytes != 4 || used == 0) return {};
  NarrowedLoad single{0, 4, {}};
  for (int i = 0; i < 4; ++i) {
    if ((used >> i & 1) == 0) continue;
    if (single.count == 2) return {};  // three
    single.at[single.count++] = u8(4 * i);
  }
  return single;
}

}  // namespace

std::vector<bool> registers_read(const IrFunction& f) {
  std::vector<bool> read(f.function.registers.size());
  for (const IrInstruction& d : f.instructions) {
    for (const IrOperand& o : d.operands)
      if (o.kind == Kind::vreg && o.reads) read[std::size_t(o.index)] = true;
    if (d.guard.kind == Kind::vreg) read[std::size_t(d.guard.index)] = true;
  }
  return read;
}

void narrow_vector_loads(IrFunction& f) {
  const std::vector<bool> read = registers_read(f);
  for (IrInstruction& d : f.instructions) {
    if (!is_vector_load(d)) continue;
    const std::string& type = d.source->qualifiers.back();
    const int elements = d.counts[0], bytes = std::stoi(type.substr(1)) / 8;
    unsigned used = 0;
    for (int i = 0; i < elements; ++i) {
      const IrOperand& o = d.operands[std::size_t(i)];
      if (o.kind == Kind::vreg && read[std::size_t(o.index)]) used |= 1u << i;
    }
    d.narrowed = narrowed_load(used, elements, bytes);
  }
}

}  // namespace sim::exec
