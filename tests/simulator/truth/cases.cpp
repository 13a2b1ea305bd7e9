#include "tests/simulator/truth/cases.h"

#include <bit>
#include <cmath>

#include "tests/simulator/random.h"

namespace sim::truth {

namespace {

using std::uint32_t;
using std::uint64_t;

using test::Random;

/// A binary format by the widths of its fields.
struct Fields {
  int exponent, fraction;
};

/// Zeros, ones, ends of the ranges, NaNs with payloads, what lies next to them, halfway cases of narrower
/// formats; numbers of moderate size; any bits.
uint64_t real(Fields f, Random& random) {
  const int width = 1 + f.exponent + f.fraction;
  const uint64_t sign = uint64_t{1} << (width - 1), bias = (uint64_t{1} << (f.exponent - 1)) - 1;
  const uint64_t fraction = (uint64_t{1} << f.fraction) - 1, infinity = ((uint64_t{1} << f.exponent) - 1)
                                                                        << f.fraction;
  const uint64_t any = random.next();
  uint64_t v = 0;
  switch (any % 8) {
    case 0: {  // edges
      const uint64_t one = bias << f.fraction;
      const uint64_t edges[] = {0,
                                1,
                                fraction,
                                fraction + 1,
                                fraction / 2,
                                one,
                                one + 1,
                                one - 1,
                                infinity,
                                infinity - 1,
                                infinity | 1 | (any >> 20 & fraction),
                                infinity | (fraction + 1) / 2,
                                infinity | fraction,
                                one - ((uint64_t{1} + f.fraction) << f.fraction),
                                one + (uint64_t(f.fraction) << f.fraction),
                                one + (uint64_t{1} << f.fraction)};
      v = edges[random.below(std::size(edges))];
      break;
    }
    case 1:
      v = any >> 8;
      break;
    case 2: {  // the bits below some place are a tie, just above or just below one
      const int place = 1 + static_cast<int>(random.below(static_cast<uint64_t>(f.fraction)));
      const uint64_t tie = uint64_t{1} << (place - 1);
      v = ((bias - 12 + random.below(24)) << f.fraction) | (any >> 12 & fraction);
      v = (v & ~(2 * tie - 1)) | (tie + random.below(3) - 1);
      break;
    }
    case 3:  // small whole numbers and halves
      v = std::bit_cast<uint64_t>(static_cast<double>(random.below(64)) / 2);
      v = v == 0 ? 0
                 : (((v >> 52) - 1023 + bias) << f.fraction) |
                       ((v & ((uint64_t{1} << 52) - 1)) >> (52 - f.fraction));
      break;
    default:
      v = ((bias - 10 + random.below(20)) << f.fraction) | (any >> 12 & fraction);
  }
  v &= sign - 1;
  return random.below(2) ? v | sign : v;
}

uint64_t whole(int bits, Random& random) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t any = random.next();
  switch (any % 4) {
    case 0: {
      const uint64_t top = uint64_t{1} << (bits - 1);
      const uint64_t edges[] = {0, 1, 2, 31, 32, mask, mask - 1, top, top - 1, top + 1, 127, 128, 255, 256};
      return edges[random.below(std::size(edges))] & mask;
    }
    case 1:
      return (any >> 8 & mask) >> random.below(static_cast<uint64_t>(bits));
    case 2:
      return (0 - (any >> 40 & 0xFF)) & mask;
    default:
      return any >> 3 & mask;
  }
}

/// @p count values packed from the low end.
template <class F>
uint64_t packed(int count, int bits, F value) {
  uint64_t v = 0;
  for (int i = 0; i < count; ++i) v |= value() << i * bits;
  return v;
}

/// A whole number from -4 to 4 in a format.
uint64_t small_whole(Fields f, Random& random) {
  const int n = static_cast<int>(random.below(9)) - 4;
  if (n == 0) return 0;
  const uint64_t d = std::bit_cast<uint64_t>(std::fabs(static_cast<double>(n)));
  const uint64_t bias = (uint64_t{1} << (f.exponent - 1)) - 1;
  return ((d >> 52) - 1023 + bias) << f.fraction | (d & ((uint64_t{1} << 52) - 1)) >> (52 - f.fraction) |
         (n < 0 ? uint64_t{1} << (f.exponent + f.fraction) : 0);
}

/// A number between 1/4 and 4 in magnitude.
uint64_t moderate(Fields f, Random& random) {
  const uint64_t bias = (uint64_t{1} << (f.exponent - 1)) - 1, any = random.next();
  return (bias - 2 + random.below(4)) << f.fraction | (any & ((uint64_t{1} << f.fraction) - 1)) |
         (any >> 63) << (f.exponent + f.fraction);
}

constexpr Fields kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52}, kE4m3{4, 3};

uint64_t value_of(Kind kind, Random& random) {
  switch (kind) {
    case Kind::f16:
      return real(kF16, random);
    case Kind::bf16:
      return real(kBf16, random);
    case Kind::f32:
      return real(kF32, random);
    case Kind::f64:
      return real(kF64, random);
    case Kind::f16x2:
      return packed(2, 16, [&] { return real(kF16, random); });
    case Kind::bf16x2:
      return packed(2, 16, [&] { return real(kBf16, random); });
    case Kind::b8:
    case Kind::b16:
      return whole(16, random);
    case Kind::b32:
      return whole(32, random);
    case Kind::b64:
    case Kind::b128:
      return whole(64, random);
    case Kind::amount:
      return random.below(71);
    case Kind::few:
      return random.below(4);
    case Kind::fp8x2:
      return random.below(65536);
    case Kind::whole_f16:
      return packed(2, 16, [&] { return small_whole(kF16, random); });
    case Kind::whole_bf16:
      return packed(2, 16, [&] { return small_whole(kBf16, random); });
    case Kind::whole_f32:
      return small_whole(kF32, random);
    case Kind::whole_f64:
      return small_whole(kF64, random);
    case Kind::whole_fp8:
      return packed(4, 8, [&] { return small_whole(kE4m3, random); });
    case Kind::some_f16:
      return packed(2, 16, [&] { return moderate(kF16, random); });
    case Kind::some_bf16:
      return packed(2, 16, [&] { return moderate(kBf16, random); });
    case Kind::some_f32:
      return moderate(kF32, random);
  }
  return 0;
}

const char* register_type(Kind kind) {
  switch (bytes_of(kind)) {
    case 2:
      return "b16";
    case 4:
      return "b32";
    case 8:
      return "b64";
    default:
      return "b128";
  }
}

}  // namespace

int bytes_of(Kind kind) {
  switch (kind) {
    case Kind::f16:
    case Kind::bf16:
    case Kind::b8:
    case Kind::b16:
    case Kind::fp8x2:
      return 2;
    case Kind::f64:
    case Kind::b64:
    case Kind::whole_f64:
      return 8;
    case Kind::b128:
      return 16;
    default:
      return 4;
  }
}

int places(const std::vector<Kind>& kinds) {
  int n = 0;
  for (const Kind k : kinds) n += k == Kind::b128 ? 2 : 1;
  return n;
}

std::vector<std::string> expand(const std::string& pattern) {
  const std::size_t open = pattern.find_first_of("{(");
  if (open == pattern.npos) return {pattern};
  const std::size_t close = pattern.find(pattern[open] == '{' ? '}' : ')', open);
  std::vector<std::string> choices;
  if (pattern[open] == '{') choices.emplace_back();
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t comma = std::min(pattern.find(',', at), close);
    choices.push_back(pattern.substr(at, comma - at));
    at = comma + 1;
  }
  std::vector<std::string> all;
  for (const std::string& rest : expand(pattern.substr(close + 1)))
    for (const std::string& choice : choices) all.push_back(pattern.substr(0, open) + choice + rest);
  return all;
}

std::string ptx_of(const Case& c) {
  std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
      "  .reg .pred %p<4>;\n  .reg .b32 %lane, %row, %s;\n  .reg .b64 %o, %i;\n"
      "  .shared .align 128 .b8 block[16384];\n";
  for (std::size_t k = 0; k < c.in.size(); ++k)
    text += std::string("  .reg .") + register_type(c.in[k]) + " %a" + std::to_string(k) + ";\n";
  for (std::size_t k = 0; k < c.out.size(); ++k)
    text += std::string("  .reg .") + register_type(c.out[k]) + " %d" + std::to_string(k) + ";\n";
  text +=
      "  mov.u32 %lane, %tid.x;\n  mov.u32 %row, %ctaid.x;\n  mad.lo.u32 %row, %row, 32, %lane;\n"
      "  mov.u32 %s, block;\n  mad.lo.u32 %s, %lane, 64, %s;\n"
      "  ld.param.u64 %i, [in];\n  mad.wide.u32 %i, %row, " +
      std::to_string(8 * places(c.in)) + ", %i;\n  ld.param.u64 %o, [out];\n  mad.wide.u32 %o, %row, " +
      std::to_string(8 * places(c.out)) + ", %o;\n";
  int at = 0;
  for (std::size_t k = 0; k < c.in.size(); at += places({c.in[k++]})) {
    const std::string a = "%a" + std::to_string(k), place = "[%i+" + std::to_string(8 * at) + "]";
    if (c.in[k] == Kind::b128) {
      text +=
          "  { .reg .b64 %x, %y; ld.global.v2.b64 {%x, %y}, " + place + "; mov.b128 " + a + ", {%x, %y}; }\n";
    } else {
      text += std::string("  ld.global.") + register_type(c.in[k]) + " " + a + ", " + place + ";\n";
    }
  }
  text += "  " + c.body + "\n";
  at = 0;
  for (std::size_t k = 0; k < c.out.size(); at += places({c.out[k++]})) {
    const std::string d = "%d" + std::to_string(k), place = "[%o+" + std::to_string(8 * at) + "]";
    if (c.out[k] == Kind::b128) {
      text +=
          "  { .reg .b64 %x, %y; mov.b128 {%x, %y}, " + d + "; st.global.v2.b64 " + place + ", {%x, %y}; }\n";
    } else {
      text += std::string("  st.global.") + register_type(c.out[k]) + " " + place + ", " + d + ";\n";
    }
  }
  return text + "  ret;\n}\n";
}

std::vector<std::uint64_t> operands_of(const Case& c) {
  Random random(c.name);
  std::vector<uint64_t> values;
  for (int row = 0; row < c.rows; ++row) {
    for (const Kind k : c.in) {
      values.push_back(value_of(k, random));
      if (k == Kind::b128) values.push_back(value_of(k, random));
    }
  }
  return values;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_float_cases(all);
  add_half_cases(all);
  add_convert_cases(all);
  add_integer_cases(all);
  add_warp_cases(all);
  add_memory_cases(all);
  add_vector_atomic_cases(all);
  add_barrier_cases(all);
  add_matrix_cases(all);
  return all;
}

}  // namespace sim::truth
