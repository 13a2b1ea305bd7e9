// The numbers of a case.
#include "tests/simulator/random.h"
#include "tests/simulator/wgmma/cases.h"

namespace sim::wgmma {

namespace {

using std::uint32_t;
using std::uint64_t;
using test::Random;

/// A floating-point format. Of tf32 the low bits, which the tensor cores do not look at, are random.
struct Format {
  int exponent, fraction;
  bool infinities = true;
  uint64_t bias() const { return (uint64_t{1} << (exponent - 1)) - 1; }
  uint64_t top() const { return (uint64_t{1} << exponent) - 1; }
  uint64_t mask() const { return (uint64_t{1} << fraction) - 1; }
};

Format format_of(Type type) {
  switch (type) {
    case Type::f16:
      return {5, 10};
    case Type::bf16:
      return {8, 7};
    case Type::e4m3:
      return {4, 3, false};
    case Type::e5m2:
      return {5, 2};
    default:
      return {8, 23};
  }
}

uint64_t special(const Format& f, Random& random) {
  const uint64_t infinity = f.top() << f.fraction;
  if (!f.infinities) return infinity | (random.below(2) ? f.mask() : f.mask() - 1);
  const uint64_t all[] = {infinity, infinity | 1, infinity - 1, infinity | (random.next() & f.mask())};
  return all[random.below(4)];
}

/// @param sum  the number is one of c
uint64_t magnitude(const Format& f, Data data, bool sum, Random& random) {
  const uint64_t fraction = random.next() & f.mask(), bias = f.bias();
  const auto with = [&](uint64_t exponent) { return exponent << f.fraction | fraction; };
  switch (data) {
    case Data::moderate:
      break;
    case Data::wide:
      if (f.exponent == 8) return with(bias - 20 + random.below(sum ? 44 : 32));
      return with(random.below(f.top()));
    case Data::extreme:
      return with(random.below(f.top()));
    case Data::small:
      if (sum) return with(random.below(f.exponent == 8 ? 24 : 3));
      return with(f.exponent == 8 ? 46 + random.below(28) : random.below(f.exponent - 2));
    case Data::special:
      if (random.below(200) == 0) return special(f, random);
      break;
    case Data::cancelling:
      if (random.below(4) != 0) return bias << f.fraction;
      return with(bias - random.below(f.exponent == 8 ? 30 : bias));
    case Data::zeros:
      return random.below(32) == 0 ? with(bias) : 0;
  }
  return with(bias - 3 + random.below(6));
}

uint64_t value(Type type, Data data, bool sum, Random& random) {
  const uint64_t any = random.next();
  const bool ends = data == Data::extreme;
  switch (type) {
    case Type::s8:
      return ends ? (any & 1 ? 0x7F + (any >> 1 & 1) : (any >> 1 & 1) * 0xFF) : any & 0xFF;
    case Type::u8:
      return ends ? (any & 3 ? 0xFF : 0) : any & 0xFF;
    case Type::b1:
      return any & 1;
    case Type::s32:
      return (ends ? (any & 1 ? 0x7FFFFFFF - (any >> 40 & 0xFFFFF) : 0x80000000 + (any >> 40 & 0xFFFFF))
                   : any) &
             0xFFFFFFFF;
    default: {
      const Format f = format_of(type);
      return magnitude(f, data, sum, random) | (any & 1) << (f.exponent + f.fraction);
    }
  }
}

/// Words of elements of one type.
void fill(std::vector<uint32_t>& to, int words, Type type, const Case& c, bool sum, Random& random) {
  const int bits = bits_of(type);
  for (int i = 0; i < words; ++i) {
    uint64_t word = 0;
    if (type == Type::b1)
      word = random.next() & 0xFFFFFFFF;
    else
      for (int at = 0; at < 32; at += bits) word |= value(type, c.data, sum, random) << at;
    to.push_back(static_cast<uint32_t>(word));
  }
}

/// Which elements of a are there: two of four, ascending; of 32 bits one of two, whose halves are named.
uint32_t metadata(Type type, Random& random) {
  constexpr uint32_t kPairs[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE}, kSingles[] = {0x4, 0xE};
  uint32_t word = 0;
  for (int at = 0; at < 32; at += 4)
    word |= (bits_of(type) == 32 ? kSingles[random.below(2)] : kPairs[random.below(6)]) << at;
  return word;
}

}  // namespace

std::vector<uint32_t> operands_of(const Case& c) {
  Random random(name_of(c));
  std::vector<uint32_t> all;
  // mma.sync takes b's registers from where a lies otherwise.
  fill(all, kPartOfA / 4, c.sync ? c.b : c.a, c, false, random);
  fill(all, (kShared - kPartOfA) / 4, c.b, c, false, random);
  fill(all, 4 * kThreads * kMostSteps, c.a, c, false, random);
  fill(all, kThreads * registers_of_d(c), c.d, c, true, random);
  for (int i = 0; c.sparse && i < kThreads * c.steps; ++i) all.push_back(metadata(c.a, random));
  return all;
}

}  // namespace sim::wgmma
