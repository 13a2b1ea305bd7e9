// Video instructions: arithmetic on 33-bit values, and on two or four parts of a register at once.
#include <algorithm>

#include "simulator/decode/code.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

enum class Operation : u8 { add, sub, average, difference, min, max, shift_left, shift_right, set };

/// One part of a register, extended by its sign or by zeros.
s64 part_of(u32 v, int part, int bits, bool is_signed) {
  const u32 field = bits == 32 ? v : v >> (part * bits) & ((u32{1} << bits) - 1);
  return is_signed ? s64(s32(field << (32 - bits)) >> (32 - bits)) : s64(field);
}

bool holds(Compare c, s64 a, s64 b) {
  switch (c) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}

s64 computed(Operation operation, s64 a, s64 b, bool wraps, Compare compare) {
  const s64 sum = a + b;
  const s64 amount = wraps ? b & 31 : std::min<s64>(b, 32);
  switch (operation) {
    case Operation::add:
      return sum;
    case Operation::sub:
      return a - b;
    case Operation::average:  // halves away from zero
      return sum >= 0 ? (sum + 1) >> 1 : sum >> 1;
    case Operation::difference:
      return a < b ? b - a : a - b;
    case Operation::min:
      return std::min(a, b);
    case Operation::max:
      return std::max(a, b);
    case Operation::shift_left:
      return s64(u64(a) << amount);
    case Operation::shift_right:
      return a >> amount;
    case Operation::set:
      return holds(compare, a, b);
  }
  return 0;
}

/// What the qualifiers say.
struct Video {
  Operation operation{};
  int parts = 1;
  bool a_signed = false, b_signed = false, d_signed = false, saturates = false, sums = false, wraps = false;
};

template <bool Masked>
void run_video(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const Video& v = *static_cast<const Video*>(wide.detail.get());
  const u32 *a = lanes<u32>(w, wide.op[1]), *b = lanes<u32>(w, wide.op[2]), *c = lanes<u32>(w, wide.op[3]);
  const int bits = 32 / v.parts;
  const s64 low = v.d_signed ? -(s64{1} << (bits - 1)) : 0,
            high = (s64{1} << (v.d_signed ? bits - 1 : bits)) - 1;
  const u32 mask = bits == 32 ? ~u32{0} : (u32{1} << bits) - 1;
  write_lanes<Masked>(lanes<u32>(w, wide.op[0]), w.active, [&](int i) {
    u32 result = 0;
    s64 sum = v.sums ? s64(c[i]) : 0;
    for (int part = 0; part < v.parts; ++part) {
      s64 r = computed(v.operation, part_of(a[i], part, bits, v.a_signed),
                       part_of(b[i], part, bits, v.b_signed), v.wraps, wide.mods.compare);
      if (v.saturates) r = std::clamp(r, low, v.parts == 1 && !v.d_signed ? std::max(r, low) : high);
      sum += r;
      result |= (u32(r) & mask) << (part * bits) % 32;
    }
    return v.sums ? u32(sum) : result;
  });
}

/// Types are written d, a, b; a comparison has no d.
[[gnu::cold]] void bind_video(Binding& b) {
  static constexpr std::pair<const char*, Operation> kNames[] = {
      {"vadd", Operation::add},        {"vsub", Operation::sub},
      {"vavrg", Operation::average},   {"vabsdiff", Operation::difference},
      {"vmin", Operation::min},        {"vmax", Operation::max},
      {"vshl", Operation::shift_left}, {"vshr", Operation::shift_right},
      {"vset", Operation::set}};
  auto v = std::make_shared<Video>();
  std::string name = b.source.opcode;
  if (name.back() == '2' || name.back() == '4') {
    v->parts = name.back() - '0';
    name.pop_back();
  }
  for (const auto& [known, operation] : kNames)
    if (name == known) v->operation = operation;
  std::vector<bool> is_signed;
  for (const std::string& q : b.source.qualifiers)
    if (q == "u32" || q == "s32") is_signed.push_back(q[0] == 's');
  const std::size_t first = is_signed.size() - 2;
  v->d_signed = first == 1 && is_signed[0];
  v->a_signed = is_signed[first];
  v->b_signed = is_signed[first + 1];
  v->saturates = b.has("sat");
  v->sums = b.has("add");
  v->wraps = b.has("wrap");
  b.wide->detail = std::move(v);
  b.out.all = &run_video<false>;
  b.out.some = &run_video<true>;
}

}  // namespace

void declare_video(InstructionSet& defs) {
  defs.family("video");
  const OperandSpec to{Role::write, ptx::Type::u32}, from{Role::read, ptx::Type::u32},
      maybe{Role::read, ptx::Type::u32, 1, true};
  const std::string type = "(.u32,.s32)", compare = "(.eq,.ne,.lt,.le,.gt,.ge)";
  const auto define = [&](const std::string& pattern) {
    defs.custom(pattern, {to, from, from, maybe}, &bind_video).wide = true;
  };
  for (const char* one : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
    define(one + type + type + type + "{.sat}");
  // What vshl does with .sat on hardware fits no description: it is left out.
  define("vshl" + type + type + ".u32(.clamp,.wrap)");
  define("vshr" + type + type + ".u32{.sat}(.clamp,.wrap)");
  define("vset" + type + type + compare);
  for (const char* many : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4", "vsub4",
                           "vavrg4", "vabsdiff4", "vmin4", "vmax4"})
    define(many + type + type + type + "{.sat}{.add}");
  for (const char* many : {"vset2", "vset4"}) define(many + type + type + compare + "{.add}");
}

}  // namespace sim::exec
