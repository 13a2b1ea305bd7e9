// Tensor-core instructions: wmma load, store and mma; mma.sync; ldmatrix and stmatrix.
#include "simulator/instructions/matrix/matrix.h"

#include <cstdio>
#include <string>

#include "simulator/instructions/families.h"

namespace sim::exec {

/// "m16n8k16" among the qualifiers.
bool shape_of(const Binding& b, int& m, int& n, int& k) {
  for (const std::string& q : b.source.qualifiers)
    if (std::sscanf(q.c_str(), "m%dn%dk%d", &m, &n, &k) == 3) return true;
  return false;
}

std::vector<Element> elements_written(const Binding& b) {
  std::vector<Element> found;
  for (const std::string& q : b.source.qualifiers)
    if (Element e; element_of(q, e)) found.push_back(e);
  return found;
}

namespace {

// Fragments are registers of 32 or 64 bits whatever their elements are: vectors of any length, of any type.
constexpr OperandSpec kTileTo{Role::write, ptx::Type::b32, 0, false, true},
    kFrom{Role::read, ptx::Type::b32, 0, false, true};
constexpr OperandSpec kAddress{Role::address}, kStride{Role::read, ptx::Type::u32, 1, true},
    kWord{Role::read, ptx::Type::u32};

[[gnu::cold]] InstructionDef& wide_form(InstructionSet& defs, const std::string& pattern,
                                        std::vector<OperandSpec> operands, Binder bind) {
  InstructionDef& def = defs.custom(pattern, std::move(operands), bind);
  def.wide = true;
  def.flow = Flow::converge;
  return def;
}

/// Shapes and types as the PTX ISA lists them for wmma: a and b of one type, c and d of another or the same.
[[gnu::cold]] void declare_wmma(InstructionSet& defs) {
  const std::string layout = "(.row,.col)", space = "{.global,.shared,.shared::cta}";
  const std::string three = "(.m16n16k16,.m8n32k16,.m32n8k16)", sync = ".sync.aligned";
  const auto moves = [&](const std::string& of, const std::string& shape, const std::string& factors,
                         const std::string& sums) {
    wide_form(defs, "wmma" + of + ".load(.a,.b)" + sync + layout + shape + space + factors,
              {kTileTo, kAddress, kStride}, &bind_tile_load);
    wide_form(defs, "wmma" + of + ".load.c" + sync + layout + shape + space + sums,
              {kTileTo, kAddress, kStride}, &bind_tile_load);
    wide_form(defs, "wmma" + of + ".store.d" + sync + layout + shape + space + sums,
              {kAddress, kFrom, kStride}, &bind_tile_store);
  };
  const auto product = [&](const std::string& pattern) {
    wide_form(defs, pattern, {kTileTo, kFrom, kFrom, kFrom}, &bind_multiply);
  };
  moves("", three, "(.f16,.bf16@80,.s8,.u8)", "(.f16,.f32,.s32)");
  moves("@80", ".m16n16k8", ".tf32", ".f32");
  moves("@80", ".m8n8k4", ".f64", ".f64");
  moves("", ".m8n8k32", "(.s4,.u4)", ".s32");
  moves("", ".m8n8k128", ".b1", ".s32");
  const std::string mma = ".mma" + sync + layout + layout;
  product("wmma" + mma + three + "(.f16,.f32)(.f16,.f32)");
  product("wmma@80" + mma + three + ".f32.bf16.bf16.f32");
  product("wmma@80" + mma + ".m16n16k8.f32.tf32.tf32.f32");
  product("wmma@80" + mma + ".m8n8k4.f64.f64.f64.f64{.rn}");
  for (const std::string type : {".s8", ".u8"})
    product("wmma" + mma + three + ".s32" + type + type + ".s32{.satfinite}");
  for (const std::string type : {".s4", ".u4"})
    product("wmma.mma" + sync + ".row.col.m8n8k32.s32" + type + type + ".s32{.satfinite}");
  product("wmma.mma(.xor,.and@80).popc" + sync + ".row.col.m8n8k128.s32.b1.b1.s32");
}

/// The same for mma.sync and for mma.sp, whose first factor has half of its elements.
[[gnu::cold]] void declare_mma(InstructionSet& defs) {
  const auto dense = [&](const std::string& of, const std::string& rest) {
    wide_form(defs, "mma" + of + ".sync.aligned" + rest, {kTileTo, kFrom, kFrom, kFrom}, &bind_multiply);
  };
  const auto sparse = [&](const std::string& of, const std::string& rest) {
    wide_form(defs, "mma" + of + "(.sp,.sp::ordered_metadata).sync.aligned" + rest,
              {kTileTo, kFrom, kFrom, kFrom, kWord, kWord}, &bind_multiply);
  };
  const std::string bytes = "{.satfinite}.s32(.s8,.u8)(.s8,.u8).s32",
                    nibbles = "{.satfinite}.s32(.s4,.u4)(.s4,.u4).s32";
  for (const std::string sum : {".f16", ".f32"}) {
    dense("", ".m8n8k4(.row,.col)(.row,.col)" + sum + ".f16.f16" + sum);
    dense("", "(.m16n8k8,.m16n8k16@80).row.col" + sum + ".f16.f16" + sum);
    sparse("@80", "(.m16n8k16,.m16n8k32).row.col" + sum + ".f16.f16" + sum);
  }
  dense("@89", "(.m16n8k16,.m16n8k32).row.col.f32(.e4m3,.e5m2)(.e4m3,.e5m2).f32");
  dense("@80", "(.m16n8k8,.m16n8k16).row.col.f32.bf16.bf16.f32");
  dense("@80", "(.m16n8k4,.m16n8k8).row.col.f32.tf32.tf32.f32");
  dense("@80", "(.m8n8k4,.m16n8k4@90,.m16n8k8@90,.m16n8k16@90).row.col.f64.f64.f64.f64");
  dense("", "(.m8n8k16,.m16n8k16@80,.m16n8k32@80).row.col" + bytes);
  dense("", "(.m8n8k32,.m16n8k32@80,.m16n8k64@80).row.col" + nibbles);
  dense("", "(.m8n8k128,.m16n8k128@80,.m16n8k256@80).row.col.s32.b1.b1.s32(.xor,.and@80).popc");
  sparse("@80", "(.m16n8k16,.m16n8k32).row.col.f32.bf16.bf16.f32");
  sparse("@80", "(.m16n8k8,.m16n8k16).row.col.f32.tf32.tf32.f32");
  sparse("@80", "(.m16n8k32,.m16n8k64).row.col" + bytes);
}

/// wgmma, of the four warps of a warpgroup. The second factor, and the first one where it is no registers,
/// are named by descriptors of shared memory.
[[gnu::cold]] void declare_wgmma(InstructionSet& defs) {
  const OperandSpec sum{Role::modify, ptx::Type::b32, 0, false, true}, descriptor{Role::read, ptx::Type::b64},
      predicate{Role::read, ptx::Type::pred}, number{Role::read, ptx::Type::s32};
  const OperandSpec rows{Role::read, ptx::Type::b32, 4, false, true};
  const auto product = [&](bool sparse, const std::string& rest, int scales, int transposes) {
    std::vector<OperandSpec> behind = {descriptor};
    if (sparse) behind.insert(behind.end(), {kWord, number});
    behind.push_back(predicate);
    behind.insert(behind.end(), std::size_t(scales), number);
    // Of a in registers nothing is transposed.
    for (const bool registers : {true, false}) {
      std::vector<OperandSpec> operands = {sum, registers ? rows : descriptor};
      operands.insert(operands.end(), behind.begin(), behind.end());
      operands.insert(operands.end(), std::size_t(transposes - (registers && transposes != 0)), number);
      wide_form(defs,
                std::string("wgmma@90a.mma_async") + (sparse ? ".sp" : "") + ".sync.aligned.m64n*k" + rest,
                std::move(operands), &bind_async_multiply);
    }
  };
  // A sparse factor's steps are twice as many, half of which are stored.
  for (const bool sparse : {false, true}) {
    const auto steps = [&](int dense) { return std::to_string(sparse ? 2 * dense : dense); };
    product(sparse, steps(16) + "(.f16,.f32).f16.f16", 2, 2);
    product(sparse, steps(16) + ".f32.bf16.bf16", 2, 2);
    product(sparse, steps(8) + ".f32.tf32.tf32", 2, 0);
    product(sparse, steps(32) + "(.f16,.f32)(.e4m3,.e5m2)(.e4m3,.e5m2)", 2, 0);
    product(sparse, steps(32) + ".s32(.s8,.u8)(.s8,.u8){.satfinite}", 0, 0);
  }
  product(false, "256.s32.b1.b1.and.popc", 0, 0);
  defs.custom("wgmma@90a.fence.sync.aligned", {}, &nothing, &nothing);
  defs.custom("wgmma@90a.commit_group.sync.aligned", {}, &commit_products, &commit_products);
  defs.custom("wgmma@90a.wait_group.sync.aligned", {number}, &wait_for_products, &wait_for_products);
}

}  // namespace

void declare_matrix(InstructionSet& defs) {
  defs.family("matrix");
  declare_wmma(defs);
  declare_mma(defs);
  declare_wgmma(defs);
  wide_form(defs, "movmatrix.sync.aligned.m8n8.trans.b16", {kWord, kWord}, &bind_matrix_transpose)
      .operands[0]
      .role = Role::write;
  const std::string rest = ".sync.aligned.m8n8(.x1,.x2,.x4){.trans}{.shared,.shared::cta}.b16";
  wide_form(defs, "ldmatrix" + rest, {kTileTo, kAddress}, &bind_matrix_load);
  wide_form(defs, "stmatrix@90" + rest, {kAddress, kFrom}, &bind_matrix_store);
}

}  // namespace sim::exec
