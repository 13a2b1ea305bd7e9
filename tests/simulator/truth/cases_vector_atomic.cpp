// Atomics on vectors, each element for itself; loads that are uniform; memory from the stack.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

std::string registers(char letter, int from, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", %" : "%") + (letter + std::to_string(from + i));
  return text + "}";
}

struct Element {
  const char* type;
  Kind kind;
  const char* operations;
  const char* widths;
};

/// Old values and new, of aligned bytes among the row's results.
void add_vectors(std::vector<Case>& all, const Element& e) {
  const std::string bits = ".b" + std::to_string(8 * bytes_of(e.kind));
  for (const std::string& operation : expand(e.operations)) {
    for (const std::string& width : expand(e.widths)) {
      const int n = width[2] - '0';
      std::string stores, loads, zeros;
      for (int k = 0; k < n; ++k) {
        const std::string at = "[%o+" + std::to_string(16 + k * bytes_of(e.kind)) + "]",
                          i = std::to_string(k);
        stores += "st.global" + bits + " " + at + ", %a" + i + "; ";
        loads += " ld.global" + bits + " %d" + std::to_string(n + k) + ", " + at + ";";
        zeros += "mov" + bits + " %d" + i + ", 0; ";
      }
      const std::string from = registers('a', n, n), name = operation + width + e.type;
      const std::size_t count = static_cast<std::size_t>(2 * n);
      const Kinds values(count, e.kind);
      add_body(
          all, "atom.global" + name,
          stores + "atom.global" + name + " " + registers('d', 0, n) + ", [%o+16], " + from + ";" + loads,
          values, values, 32);
      add_body(all, "red.global" + name,
               stores + zeros + "red.global" + name + " [%o+16], " + from + ";" + loads, values, values, 32);
      if (operation.find("add") == operation.npos) continue;
      for (const std::string& order : expand("(.relaxed.cta,.acquire.cluster,.release.gpu,.acq_rel.sys)")) {
        add_body(all, "atom" + order + ".global" + name,
                 stores + "atom" + order + ".global" + name + " " + registers('d', 0, n) + ", [%o+16], " +
                     from + ";" + loads,
                 values, values, 32);
        if (order[3] == 'l')  // .relaxed and .release
          add_body(all, "red" + order + ".global" + name,
                   stores + zeros + "red" + order + ".global" + name + " [%o+16], " + from + ";" + loads,
                   values, values, 32);
      }
      const std::string hinted = operation + ".L2::cache_hint" + width + e.type,
                        policy = "{ .reg .b64 %c; createpolicy.fractional.L2::evict_last.b64 %c, 1.0; ";
      add_body(all, "atom.global" + hinted,
               policy + stores + "atom.global" + hinted + " " + registers('d', 0, n) + ", [%o+16], " + from +
                   ", %c;" + loads + " }",
               values, values, 32);
      add_body(all, "red.global" + hinted,
               policy + stores + zeros + "red.global" + hinted + " [%o+16], " + from + ", %c;" + loads + " }",
               values, values, 32);
    }
  }
}

void add_uniform_loads(std::vector<Case>& all) {
  using enum Kind;
  const struct {
    const char* types;
    Kind kind;
  } loads[] = {{"(.b8,.u8,.s8)", b16},
               {"(.b16,.u16,.s16)", b16},
               {"(.b32,.u32,.s32,.f32)", b32},
               {"(.b64,.u64,.s64,.f64)", b64}};
  for (const auto& load : loads) {
    for (const std::string& type : expand(load.types)) {
      const int bytes = std::stoi(type.substr(2)) / 8;
      for (const int n : {1, 2, 4}) {
        if (n * bytes > 16) continue;
        const std::string name = "ldu.global" + (n > 1 ? ".v" + std::to_string(n) : "") + type;
        // The first lane's operands: the address is the same for all.
        const std::string address =
            "{ .reg .b64 %u; .reg .b32 %x, %y; mov.b64 {%x, %y}, %i; shfl.sync.idx.b32 %x, %x, 0, 31, -1; "
            "shfl.sync.idx.b32 %y, %y, 0, 31, -1; mov.b64 %u, {%x, %y}; ";
        const std::string to = n == 1 ? "%d0" : registers('d', 0, n);
        add_body(all, name, address + name + " " + to + ", [%u]; }",
                 Kinds(static_cast<std::size_t>(n), load.kind), {b64, b64}, 32);
      }
    }
  }
}

/// Two pieces of the stack do not share bytes, and what was taken since stacksave is given back.
void add_stack(std::vector<Case>& all) {
  using enum Kind;
  add_body(
      all, "alloca.u64",
      "{ .reg .b64 %s0, %p, %q, %n; .reg .b32 %x; stacksave.u64 %s0; cvt.u64.u32 %n, %a1; add.u64 %n, %n, 8; "
      "alloca.u64 %p, %n; st.local.b64 [%p], %a0; alloca.u64 %q, 40, 32; st.local.b64 [%q], 0; "
      "st.local.b64 [%q+32], %a2; and.b64 %d3, %q, 31; ld.local.b64 %d0, [%p]; ld.local.b64 %d1, [%q+32]; "
      "stackrestore.u64 %s0; alloca.u64 %q, %n; setp.eq.u64 %p0, %p, %q; selp.u64 %d2, 1, 0, %p0; }",
      {b64, b64, b64, b64}, {b64, few, b64}, 32);
  add_body(
      all, "alloca.u64 by generic address",
      "{ .reg .b64 %p; alloca.u64 %p, 16, 16; cvta.local.u64 %p, %p; st.b64 [%p+8], %a0; ld.b64 %d0, [%p+8]; "
      "isspacep.local %p0, %p; selp.u64 %d1, 1, 0, %p0; }",
      {b64, b64}, {b64}, 32);
}

}  // namespace

void add_vector_atomic_cases(std::vector<Case>& all) {
  using enum Kind;
  add_vectors(all, {".f32", f32, "(.add)", "(.v2,.v4)"});
  add_vectors(all, {".f16", f16, "(.add.noftz,.min.noftz,.max.noftz)", "(.v2,.v4,.v8)"});
  add_vectors(all, {".bf16", bf16, "(.add.noftz,.min.noftz,.max.noftz)", "(.v2,.v4,.v8)"});
  add_vectors(all, {".f16x2", f16x2, "(.add.noftz,.min.noftz,.max.noftz)", "(.v2,.v4)"});
  add_vectors(all, {".bf16x2", bf16x2, "(.add.noftz,.min.noftz,.max.noftz)", "(.v2,.v4)"});
  add_uniform_loads(all);
  add_stack(all);
}

}  // namespace sim::truth
