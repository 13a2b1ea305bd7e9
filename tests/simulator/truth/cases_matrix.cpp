// Matrix instructions. Whole numbers, whose sums are exact in any order, tell where elements lie; others, how
// far sums may be off.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

std::string list(char letter, int from, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", %" : "%") + (letter + std::to_string(from + i));
  return text + "}";
}

/// Registers of d (and c), a, b, c, with what they hold.
struct Mma {
  const char* name;
  int d, a, b;
  Kind whole_d, whole_ab;
  Kind some_d = Kind::few, some_ab = Kind::few;  ///< few: exact only
  double relative = 0, absolute = 0;
  const char* tail = "";
};

void add_mma(std::vector<Case>& all, const Mma& m) {
  const auto add_one = [&](const std::string& name, Kind d, Kind ab, double relative, double absolute) {
    Kinds in(static_cast<std::size_t>(m.a + m.b), ab), out(static_cast<std::size_t>(m.d), d);
    in.insert(in.end(), out.begin(), out.end());
    Case c{name,
           m.name + (" " + list('d', 0, m.d)) + ", " + list('a', 0, m.a) + ", " + list('a', m.a, m.b) + ", " +
               list('a', m.a + m.b, m.d) + m.tail + ";",
           out,
           in,
           64,
           relative,
           absolute};
    all.push_back(std::move(c));
  };
  add_one(m.name, m.whole_d, m.whole_ab, 0, 0);
  if (m.some_d != Kind::few)
    add_one(m.name + std::string(" rounded"), m.some_d, m.some_ab, m.relative, m.absolute);
}

void add_mma_cases(std::vector<Case>& all) {
  using enum Kind;
  const std::string sync = "mma.sync.aligned.";
  const auto halves = [&](const char* shape, int a, int b) {
    for (const std::string& name : expand(sync + shape + ".row.col(.f16.f16.f16.f16,.f32.f16.f16.f32)")) {
      const bool wide = name.ends_with("f32");
      add_mma(all, {name.c_str(), wide ? 4 : 2, a, b, wide ? whole_f32 : whole_f16, whole_f16,
                    wide ? some_f32 : some_f16, some_f16, 0x1p-8, wide ? 0x1p-9 : 0x1p-4});
    }
    const std::string brain = sync + shape + ".row.col.f32.bf16.bf16.f32";
    add_mma(all, {brain.c_str(), 4, a, b, whole_f32, whole_bf16, some_f32, some_bf16, 0x1p-8, 0x1p-9});
  };
  halves("m16n8k8", 2, 1);
  halves("m16n8k16", 4, 2);
  add_mma(all, {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, whole_f32, whole_f32, some_f32,
                some_f32, 0x1p-8, 0x1p-9});
  add_mma(all, {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, whole_f32, whole_f32, some_f32,
                some_f32, 0x1p-8, 0x1p-9});
  add_mma(all, {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, whole_f64, whole_f64});
  add_mma(all, {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1, whole_f64, whole_f64});
  add_mma(all, {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, whole_f64, whole_f64});
  add_mma(all, {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, whole_f64, whole_f64});
  for (const std::string& types : expand(".row.col{.satfinite}.s32(.s8.s8,.s8.u8,.u8.s8,.u8.u8).s32")) {
    add_mma(all, {(sync + "m8n8k16" + types).c_str(), 2, 1, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k16" + types).c_str(), 4, 2, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k32" + types).c_str(), 4, 4, 2, b32, b32});
  }
  for (const std::string& types : expand(".row.col{.satfinite}.s32(.s4.s4,.s4.u4,.u4.s4,.u4.u4).s32")) {
    add_mma(all, {(sync + "m8n8k32" + types).c_str(), 2, 1, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k32" + types).c_str(), 4, 2, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k64" + types).c_str(), 4, 4, 2, b32, b32});
  }
  for (const std::string& operation : expand(".row.col.s32.b1.b1.s32(.xor.popc,.and.popc)")) {
    add_mma(all, {(sync + "m8n8k128" + operation).c_str(), 2, 1, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k128" + operation).c_str(), 4, 2, 1, b32, b32});
    add_mma(all, {(sync + "m16n8k256" + operation).c_str(), 4, 4, 2, b32, b32});
  }
  for (const std::string& layout : expand("m8n8k4(.row,.col)(.row,.col)")) {
    add_mma(all, {(sync + layout + ".f16.f16.f16.f16").c_str(), 4, 2, 2, whole_f16, whole_f16});
    add_mma(all, {(sync + layout + ".f32.f16.f16.f32").c_str(), 8, 2, 2, whole_f32, whole_f16});
  }
  add_mma(all, {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, whole_f32, whole_fp8});
  // Bits of e4m3 are other numbers in e5m2: 2^-3 to 2^2, whose sums are exact as well.
  for (const std::string& types : expand("(.e4m3.e5m2,.e5m2.e4m3,.e5m2.e5m2)"))
    add_mma(all, {(sync + "m16n8k32.row.col.f32" + types + ".f32").c_str(), 4, 4, 2, whole_f32, whole_fp8});
  for (const std::string& types : expand("(.e4m3.e4m3,.e4m3.e5m2,.e5m2.e4m3,.e5m2.e5m2)"))
    add_mma(all, {(sync + "m16n8k16.row.col.f32" + types + ".f32").c_str(), 4, 2, 1, whole_f32, whole_fp8});
}

/// mma.sp: half of a's elements are stored; metadata of two bits each says which.
void add_sparse_cases(std::vector<Case>& all) {
  using enum Kind;
  const auto sparse = [&](const std::string& name, int d, int a, int b, Kind kd, Kind kab, int selectors) {
    for (int s = 0; s < selectors; ++s) {
      Kinds in(static_cast<std::size_t>(a + b), kab), out(static_cast<std::size_t>(d), kd);
      in.insert(in.end(), out.begin(), out.end());
      in.push_back(b32);
      // Metadata: in each four bits two different places, ascending: 0x4 is (0, 1), 0xE is (2, 3). For tf32
      // these two are all there are.
      const std::string meta = "%a" + std::to_string(in.size() - 1);
      const bool single = name.find("tf32") != name.npos;
      const std::string make = single ? "and.b32 " + meta + ", " + meta + ", 0xaaaaaaaa; or.b32 " + meta +
                                            ", " + meta + ", 0x44444444; and.b32 %row, " + meta +
                                            ", 0x88888888; shr.u32 %row, %row, 2; "
                                            "mov.b32 " +
                                            meta + ", 0xe4e44e4e; "
                                      : "and.b32 " + meta + ", " + meta + ", 0x11111111; mad.lo.u32 " + meta +
                                            ", " + meta + ", 5, 0x88888888; ";
      add_body(all, name + " selector " + std::to_string(s),
               "{ .reg .b32 %keep; mov.b32 %keep, %row; " + make + "mov.b32 %row, %keep; " + name + " " +
                   list('d', 0, d) + ", " + list('a', 0, a) + ", " + list('a', a, b) + ", " +
                   list('a', a + b, d) + ", " + meta + ", " + std::to_string(s) + "; }",
               out, in, 64);
    }
  };
  // The second spelling is without a promise about the metadata.
  for (const std::string& op : expand("(mma.sp::ordered_metadata,mma.sp).sync.aligned.")) {
    sparse(op + "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2, whole_f32, whole_f16, 4);
    sparse(op + "m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, whole_f32, whole_f16, 2);
    sparse(op + "m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, whole_f16, whole_f16, 2);
    sparse(op + "m16n8k32.row.col.f16.f16.f16.f16", 2, 4, 4, whole_f16, whole_f16, 2);
    sparse(op + "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2, whole_f32, whole_bf16, 4);
    sparse(op + "m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, whole_f32, whole_bf16, 2);
    sparse(op + "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2, whole_f32, whole_f32, 4);
    sparse(op + "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, whole_f32, whole_f32, 2);
    for (const std::string& types : expand("{.satfinite}.s32(.s8,.u8)(.s8,.u8).s32")) {
      sparse(op + "m16n8k32.row.col" + types, 4, 2, 2, b32, b32, 2);
      sparse(op + "m16n8k64.row.col" + types, 4, 4, 4, b32, b32, 1);
    }
  }
}

/// Words of shared memory are written by the lanes, a, b and
/// c one after another; the product comes back the same way.
struct Wmma {
  std::string shape, a_type, d_type, c_type;
  int a_words, b_words, c_words, d_words;     ///< of each lane in shared memory
  int a_registers, b_registers, c_registers;  ///< of a fragment
  Kind a, c;
  std::string operation = "";  ///< ".xor.popc"
  std::string tail = "";       ///< ".satfinite"
  /// How the tiles lie, and where the instruction says they do: the place is shared memory all the same, or,
  /// for .global, the row's results.
  std::string c_layout = "row", space = ".shared";
};

void add_wmma(std::vector<Case>& all, const Wmma& m, const std::string& a_layout,
              const std::string& b_layout) {
  const std::string sync = ".sync.aligned.";
  const bool wide = m.a_type == "f64";
  const int word = wide ? 8 : 4;
  const std::string bits = wide ? "b64" : "b32";
  // The tiles lie one after another in shared memory, or each in turn where the first lane's results go.
  const bool global = m.space == ".global";
  std::string body =
      "{ .reg .b32 %base, %at; .reg .b64 %g, %h; mov.u32 %base, block; mad.lo.u32 %at, %lane, " +
      std::to_string(word) + ", %base; ";
  if (global)
    body +=
        "{ .reg .b32 %x, %y; mov.b64 {%x, %y}, %o; shfl.sync.idx.b32 %x, %x, 0, 31, -1; "
        "shfl.sync.idx.b32 %y, %y, 0, 31, -1; mov.b64 %g, {%x, %y}; mad.wide.u32 %h, %lane, " +
        std::to_string(word) + ", %g; } ";
  const std::string base = global ? "%g" : "%base", own = global ? "%h" : "%at";
  const auto place = [&](const std::string& from, int k) {
    return "[" + from + "+" + std::to_string(32 * word * k) + "]";
  };
  body += ".reg ." + bits + " %x<" + std::to_string(m.a_registers) + ">, %y<" +
          std::to_string(m.b_registers) + ">, %z<" + std::to_string(m.c_registers) + ">; ";
  const auto load = [&](char which, const std::string& layout, char letter, int registers, int at, int words,
                        const std::string& type) {
    const int to = global ? 0 : at;
    for (int k = 0; k < words; ++k)
      body += "st" + m.space + "." + bits + " " + place(own, to + k) + ", %a" + std::to_string(at + k) + "; ";
    body += std::string("bar.warp.sync 0xffffffff; wmma.load.") + which + sync + layout + "." + m.shape +
            m.space + "." + type + " " + list(letter, 0, registers) + ", " + place(base, to) +
            "; bar.warp.sync 0xffffffff; ";
  };
  load('a', a_layout, 'x', m.a_registers, 0, m.a_words, m.a_type);
  load('b', b_layout, 'y', m.b_registers, m.a_words, m.b_words, m.a_type);
  load('c', m.c_layout, 'z', m.c_registers, m.a_words + m.b_words, m.c_words, m.c_type);
  const bool half = m.a_type == "f16";
  const std::string name = "wmma.mma" + m.operation + sync + a_layout + "." + b_layout + "." + m.shape + "." +
                           m.d_type + (half ? "" : "." + m.a_type + "." + m.a_type) + "." + m.c_type + m.tail;
  body += name + " " + list('z', 0, m.c_registers) + ", " + list('x', 0, m.a_registers) + ", " +
          list('y', 0, m.b_registers) + ", " + list('z', 0, m.c_registers) + "; ";
  body += "wmma.store.d" + sync + m.c_layout + "." + m.shape + m.space + "." + m.d_type + " " +
          place(base, 0) + ", " + list('z', 0, m.c_registers) + "; bar.warp.sync 0xffffffff; ";
  for (int k = 0; k < m.d_words; ++k)
    body += "ld" + m.space + "." + bits + " %d" + std::to_string(k) + ", " + place(own, k) + "; ";
  if (global) body += "bar.warp.sync 0xffffffff; ";
  Kinds in(static_cast<std::size_t>(m.a_words + m.b_words), m.a),
      out(static_cast<std::size_t>(m.d_words), m.c);
  in.insert(in.end(), static_cast<std::size_t>(m.c_words), m.c);
  const std::string variant = m.space == ".shared" && m.c_layout == "row" ? "" : " " + m.c_layout + m.space;
  add_body(all, name + variant, body + "}", out, in, 32);
}

void add_wmma_cases(std::vector<Case>& all) {
  using enum Kind;
  for (const char* a : {"row", "col"}) {
    for (const char* b : {"row", "col"}) {
      add_wmma(all, {"m16n16k16", "f16", "f32", "f32", 4, 4, 8, 8, 8, 8, 8, whole_f16, whole_f32}, a, b);
      add_wmma(all, {"m16n16k16", "f16", "f16", "f16", 4, 4, 4, 4, 8, 8, 4, whole_f16, whole_f16}, a, b);
      add_wmma(all, {"m32n8k16", "f16", "f32", "f32", 8, 2, 8, 8, 8, 8, 8, whole_f16, whole_f32}, a, b);
      add_wmma(all, {"m8n32k16", "f16", "f16", "f16", 2, 8, 4, 4, 8, 8, 4, whole_f16, whole_f16}, a, b);
      add_wmma(all, {"m16n16k16", "bf16", "f32", "f32", 4, 4, 8, 8, 4, 4, 8, whole_bf16, whole_f32}, a, b);
      add_wmma(all, {"m32n8k16", "bf16", "f32", "f32", 8, 2, 8, 8, 8, 2, 8, whole_bf16, whole_f32}, a, b);
      add_wmma(all, {"m16n16k8", "tf32", "f32", "f32", 4, 4, 8, 8, 4, 4, 8, whole_f32, whole_f32}, a, b);
      add_wmma(all, {"m16n16k16", "s8", "s32", "s32", 2, 2, 8, 8, 2, 2, 8, b32, b32}, a, b);
      add_wmma(all, {"m8n32k16", "u8", "s32", "s32", 1, 4, 8, 8, 1, 4, 8, b32, b32}, a, b);
      add_wmma(all, {"m8n8k4", "f64", "f64", "f64", 1, 1, 2, 2, 1, 1, 2, whole_f64, whole_f64}, a, b);
    }
  }
  const Wmma others[] = {
      {"m8n32k16", "bf16", "f32", "f32", 2, 8, 8, 8, 2, 8, 8, whole_bf16, whole_f32},
      {"m8n32k16", "s8", "s32", "s32", 1, 4, 8, 8, 1, 4, 8, b32, b32},
      {"m32n8k16", "s8", "s32", "s32", 4, 1, 8, 8, 4, 1, 8, b32, b32, "", ".satfinite"},
      {"m16n16k16", "u8", "s32", "s32", 2, 2, 8, 8, 2, 2, 8, b32, b32},
      {"m32n8k16", "u8", "s32", "s32", 4, 1, 8, 8, 4, 1, 8, b32, b32, "", ".satfinite"},
      {"m8n8k4", "f64", "f64", "f64", 1, 1, 2, 2, 1, 1, 2, whole_f64, whole_f64, "", ".rn"},
      {"m8n8k32", "s4", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32, "", ".satfinite"},
      {"m8n8k32", "u4", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32, "", ".satfinite"}};
  for (const Wmma& m : others) add_wmma(all, m, "row", "col");
  for (const char* space : {".global", ".shared::cta"}) {
    for (Wmma m : {Wmma{"m16n16k16", "f16", "f32", "f32", 4, 4, 8, 8, 8, 8, 8, whole_f16, whole_f32},
                   Wmma{"m16n16k8", "tf32", "f32", "f32", 4, 4, 8, 8, 4, 4, 8, whole_f32, whole_f32},
                   Wmma{"m8n8k4", "f64", "f64", "f64", 1, 1, 2, 2, 1, 1, 2, whole_f64, whole_f64},
                   Wmma{"m8n8k32", "s4", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32},
                   Wmma{"m8n8k128", "b1", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32, ".xor.popc"}}) {
      m.space = space;
      m.c_layout = "col";
      add_wmma(all, m, "row", "col");
    }
  }
  add_wmma(all, {"m8n8k32", "s4", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32}, "row", "col");
  add_wmma(all, {"m8n8k32", "u4", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32}, "row", "col");
  add_wmma(all, {"m8n8k128", "b1", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32, ".xor.popc"}, "row", "col");
  add_wmma(all, {"m8n8k128", "b1", "s32", "s32", 1, 1, 2, 2, 1, 1, 2, b32, b32, ".and.popc"}, "row", "col");
}

void add_move_cases(std::vector<Case>& all) {
  using enum Kind;
  for (const char* trans : {"", ".trans"}) {
    for (int n : {1, 2, 4}) {
      const std::string x = ".x" + std::to_string(n) + trans + ".shared.b16";
      std::string zero, stores, loads;
      for (int k = 0; k < n; ++k) {
        const std::string i = std::to_string(k);
        stores += "st.shared.b32 [%at+" + std::to_string(128 * k) + "], %a" + i + "; ";
        loads += "ld.shared.b32 %d" + i + ", [%at+" + std::to_string(128 * k) + "]; ";
      }
      const std::string head =
          "{ .reg .b32 %base, %at, %rows; mov.u32 %base, block; mad.lo.u32 %at, %lane, 4, %base; "
          "mad.lo.u32 %rows, %lane, 16, %base; ";
      const Kinds words(static_cast<std::size_t>(n), b32);
      add_body(all, "ldmatrix.sync.aligned.m8n8" + x,
               head + stores + "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8" + x + " " +
                   list('d', 0, n) + ", [%rows]; }",
               words, words, 32);
      const std::string same = "x" + std::to_string(n) + trans + ".shared::cta.b16";
      add_body(all, "ldmatrix.sync.aligned.m8n8." + same,
               head + stores + "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8." + same + " " +
                   list('d', 0, n) + ", [%rows]; }",
               words, words, 32);
      add_body(all, "stmatrix.sync.aligned.m8n8." + same,
               head + "stmatrix.sync.aligned.m8n8." + same + " [%rows], " + list('a', 0, n) +
                   "; bar.warp.sync 0xffffffff; " + loads + "}",
               words, words, 32);
      add_body(all, "stmatrix.sync.aligned.m8n8" + x,
               head + "stmatrix.sync.aligned.m8n8" + x + " [%rows], " + list('a', 0, n) +
                   "; bar.warp.sync 0xffffffff; " + loads + "}",
               words, words, 32);
    }
  }
  add_body(all, "movmatrix.sync.aligned.m8n8.trans.b16", "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;",
           {b32}, {b32}, 32);
}

}  // namespace

void add_matrix_cases(std::vector<Case>& all) {
  add_mma_cases(all);
  add_sparse_cases(all);
  add_wmma_cases(all);
  add_move_cases(all);
}

}  // namespace sim::truth
