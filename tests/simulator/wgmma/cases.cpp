#include "tests/simulator/wgmma/cases.h"

#include <algorithm>

namespace sim::wgmma {

namespace {

/// Types of a, b and d.
struct Types {
  Type a{}, b{}, d{};
};

constexpr Data kData[] = {Data::moderate, Data::wide,       Data::extreme, Data::small,
                          Data::special,  Data::cancelling, Data::zeros};

std::vector<Types> floats() {
  std::vector<Types> all = {{Type::f16, Type::f16, Type::f32},
                            {Type::f16, Type::f16, Type::f16},
                            {Type::bf16, Type::bf16, Type::f32},
                            {Type::tf32, Type::tf32, Type::f32}};
  for (const Type a : {Type::e4m3, Type::e5m2})
    for (const Type b : {Type::e4m3, Type::e5m2})
      for (const Type d : {Type::f32, Type::f16}) all.push_back({a, b, d});
  return all;
}

std::vector<Types> integers() {
  std::vector<Types> all;
  for (const Type a : {Type::s8, Type::u8})
    for (const Type b : {Type::s8, Type::u8}) all.push_back({a, b, Type::s32});
  return all;
}

constexpr Types kBits{Type::b1, Type::b1, Type::s32};

/// Bytes of a row of one step: always two core matrices of 16.
constexpr int kRow = 32;

/// Core matrices one after another, those of one row of the product side by side.
/// @param pieces  core matrices of a row in one step; b of a sparse a has twice as many
Matrix packed(int steps = 1, int pieces = 2) {
  Matrix m;
  m.leading = 128;
  m.stride = 128 * pieces * steps;
  m.step = 128 * pieces;
  return m;
}

Matrix registers() {
  Matrix m;
  m.registers = true;
  return m;
}

/// K-major rows of @p bytes bytes, swizzled.
Matrix swizzled(int bytes) {
  Matrix m;
  m.swizzle = bytes;
  m.leading = 16;
  m.stride = 8 * bytes;
  m.step = kRow;
  return m;
}

class List {
 public:
  /// A case of wgmma, to be changed further.
  Case& add(const Types& types, int n, Data data, Matrix a, Matrix b, int steps = 1) {
    Case c;
    c.a = types.a, c.b = types.b, c.d = types.d;
    c.n = n, c.k = 8 * kRow / bits_of(types.a);
    c.at = a, c.bt = b;
    c.data = data, c.steps = steps;
    all_.push_back(c);
    return all_.back();
  }

  /// A case of wgmma.sp, to be changed further. Which threads have the metadata changes from case to case.
  Case& add_sparse(const Types& types, int n, Data data, Matrix a, Matrix b, int steps = 1) {
    const int number = int(all_.size());
    Case& c = add(types, n, data, a, b, steps);
    c.sparse = true;
    c.k *= 2;
    if (bits_of(types.a) > 8) c.selector = number / 2 % 2;
    return c;
  }

  std::vector<Case> take() { return std::move(all_); }

 private:
  std::vector<Case> all_;
};

/// The order of additions and what is cut off.
void add_sums(List& to) {
  for (const Types& t : floats())
    for (const Data data : kData)
      for (const int steps : {1, 3})
        for (const bool registers_of_a : {true, false})
          to.add(t, 16, data, registers_of_a ? registers() : packed(steps), packed(steps), steps);
  for (Types t : integers())
    for (const Data data : {Data::moderate, Data::extreme})
      for (const int steps : {1, 4})
        for (const bool saturate : {false, true})
          for (const bool registers_of_a : {true, false})
            to.add(t, 16, data, registers_of_a ? registers() : packed(steps), packed(steps), steps).saturate =
                saturate;
  for (const Data data : {Data::moderate, Data::extreme})
    for (const int steps : {1, 4}) to.add(kBits, 16, data, registers(), packed(steps), steps);
}

void add_scales(List& to) {
  for (const Types& t : floats())
    for (const Data data : {Data::moderate, Data::special, Data::zeros})
      for (const bool scale_d : {false, true})
        for (const int scales : {0, 1, 2, 3}) {
          if (scale_d && scales == 0) continue;
          const bool mixed = data == Data::special;
          Case& c = to.add(t, 8, data, mixed ? packed() : registers(), packed());
          c.scale_d = scale_d;
          c.scale_a = scales & 1 ? -1 : 1, c.scale_b = scales & 2 ? -1 : 1;
        }
  for (Types t : integers()) to.add(t, 16, Data::moderate, packed(), packed()).scale_d = false;
  to.add(kBits, 16, Data::moderate, packed(), packed()).scale_d = false;
}

void add_widths(List& to) {
  for (int n = 8; n <= 256; n += 8) {
    if (n == 16) continue;  // among the sums
    to.add(floats()[0], n, Data::moderate, registers(), packed());
    to.add(floats()[1], n, Data::moderate, registers(), packed());
  }
  for (const int n : {8, 24, 40, 64, 96, 136, 192, 256}) {
    for (const Types& t : {floats()[2], floats()[3], floats()[4], floats()[9]})
      to.add(t, n, Data::moderate, registers(), packed());
  }
  for (const int n : {8, 24, 32, 64, 96, 128, 160, 256}) {
    to.add(integers()[1], n, Data::moderate, registers(), packed());
    to.add(kBits, n, Data::moderate, packed(), packed());
  }
}

/// Steps along rows, all types; a is at home in the packed layout while b's is tried, and the reverse.
void add_rows(List& to) {
  const auto both = [&](const Types& t, int n, const Matrix& m, int steps) {
    Matrix far = m;
    far.start += 2048;
    to.add(t, n, Data::moderate, m, far, steps);
    to.add(t, n, Data::moderate, registers(), m, steps);
  };
  for (const Types& t : {floats()[0], floats()[3], floats()[4], integers()[0], kBits}) {
    for (const int swizzle : {32, 64, 128}) {
      both(t, 32, swizzled(swizzle), swizzle / kRow);
      Matrix m = swizzled(swizzle);
      m.start = 1024 + (swizzle - kRow);
      m.leading = 0;
      both(t, 64, m, 1);
      m.leading = 512;
      m.stride *= 2;
      both(t, 24, m, 1);
      // Rows that do not begin where the pattern does.
      for (const int row : {1, 3, 4, 6}) {
        m = swizzled(swizzle);
        m.start = row * swizzle;
        both(t, 16, m, 1);
        m.base_offset = row;
        both(t, 16, m, 1);
      }
      m = swizzled(swizzle);
      m.start = 16;
      both(t, 16, m, 1);
      m = swizzled(swizzle);
      m.stride += 16;
      both(t, 16, m, 1);
      m.stride += 112;
      both(t, 16, m, 1);
    }
    for (const auto& [leading, stride] :
         {std::pair{1024, 128}, {128, 1024}, {144, 320}, {16, 512}, {2048, 16}}) {
      Matrix m;
      m.leading = leading, m.stride = stride, m.step = 2 * leading;
      both(t, 32, m, 2);
      m.start = 48, m.base_offset = 2;
      both(t, 24, m, 1);
    }
  }
}

/// Elements of 16 bits across rows: a, b or both.
void add_columns(List& to) {
  struct Offsets {
    int swizzle, leading, stride;
  };
  const Offsets all[] = {{0, 128, 1024},    {0, 1024, 128},    {0, 128, 256},     {0, 256, 128},
                         {0, 272, 144},     {32, 256, 1024},   {32, 1024, 256},   {32, 2048, 256},
                         {32, 512, 288},    {64, 512, 1024},   {64, 1024, 512},   {64, 512, 2048},
                         {64, 576, 4096},   {128, 1024, 1024}, {128, 1024, 2048}, {128, 2048, 1024},
                         {128, 4096, 1024}, {128, 1152, 2048}};
  const Types halves[] = {floats()[0], floats()[1], floats()[2]};
  for (const Offsets& o : all) {
    Matrix m;
    m.mn_major = true;
    m.swizzle = o.swizzle, m.leading = o.leading, m.stride = o.stride;
    m.step = 2 * std::max(o.leading, o.stride);
    const int n = o.swizzle == 128 ? 128 : 64;
    to.add(halves[0], n, Data::moderate, m, swizzled(128));
    to.add(halves[0], n, Data::moderate, swizzled(64), m);
    to.add(halves[1], 24, Data::moderate, registers(), m);
    to.add(halves[2], 96, Data::moderate, registers(), m);
    if (std::max(o.leading, o.stride) <= 1024) to.add(halves[2], 32, Data::moderate, m, m, 2);
    m.start = o.swizzle == 0 ? 16 : 2 * o.swizzle;
    to.add(halves[0], 40, Data::moderate, m, m);
    m.base_offset = 2;
    to.add(halves[1], 40, Data::moderate, m, m);
  }
}

void add_sparse(List& to) {
  for (const Types& t : floats()) {
    for (const Data data : kData)
      for (const int steps : {1, 3})
        for (const bool registers_of_a : {true, false})
          to.add_sparse(t, 16, data, registers_of_a ? registers() : packed(steps), packed(steps, 4), steps);
    Case& c = to.add_sparse(t, 8, Data::moderate, packed(), packed(1, 4));
    c.scale_d = false, c.scale_a = -1;
  }
  for (const Types& t : integers())
    for (const Data data : {Data::moderate, Data::extreme})
      for (const int steps : {1, 4})
        for (const bool saturate : {false, true})
          to.add_sparse(t, 16, data, saturate ? registers() : packed(steps), packed(steps, 4), steps)
              .saturate = saturate;
  for (const Types& t : {floats()[0], floats()[3], floats()[4], integers()[0]}) {
    for (const int n : {8, 64, 160, 256}) to.add_sparse(t, n, Data::moderate, registers(), packed(1, 4));
    for (const int swizzle : {64, 128}) {
      Matrix far = swizzled(swizzle);
      far.step = 2 * kRow;
      to.add_sparse(t, 32, Data::moderate, swizzled(swizzle), far, swizzle / far.step);
    }
  }
  for (const int swizzle : {0, 64, 128}) {
    Matrix m;
    m.mn_major = true;
    m.swizzle = swizzle;
    m.leading = swizzle == 0 ? 1024 : 8 * swizzle, m.stride = swizzle == 0 ? 128 : 16 * swizzle;
    to.add_sparse(floats()[0], 64, Data::moderate, m, packed(1, 4));
    to.add_sparse(floats()[2], 64, Data::moderate, registers(), m);
    std::swap(m.leading, m.stride);
    to.add_sparse(floats()[0], 64, Data::moderate, m, m);
  }
}

void add_sync(std::vector<Case>& to) {
  for (const Types& t : floats()) {
    if (bits_of(t.a) == 8 && t.d == Type::f16) continue;
    for (const int k : {4, 8, 16, 32}) {
      const int row = k * bits_of(t.a) / 8;
      if (row != kRow && row != kRow / 2) continue;
      for (const Data data : kData) {
        Case c;
        c.sync = true;
        c.a = t.a, c.b = t.b, c.d = t.d;
        c.n = 8, c.k = k;
        c.data = data;
        to.push_back(c);
      }
    }
  }
}

std::string shown(const Matrix& m) {
  if (m.registers) return "registers";
  std::string text = m.mn_major ? "columns" : "rows";
  for (const int number : {m.swizzle, m.leading, m.stride, m.start, m.step, m.base_offset})
    text += "," + std::to_string(number);
  return text;
}

}  // namespace

const char* name_of(Type type) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1", "f32", "s32"};
  return kNames[static_cast<std::size_t>(type)];
}

int bits_of(Type type) {
  constexpr int kBitsOf[] = {16, 16, 32, 8, 8, 8, 8, 1, 32, 32};
  return kBitsOf[static_cast<std::size_t>(type)];
}

int registers_of_d(const Case& c) {
  return (c.sync ? 16 : 64) * c.n * bits_of(c.d) / 32 / (c.sync ? 32 : kThreads);
}

std::string name_of(const Case& c) {
  constexpr const char* kKinds[] = {"moderate", "wide", "extreme", "small", "special", "cancelling", "zeros"};
  std::string text = std::string(c.sync ? "mma" : "wgmma") + " n" + std::to_string(c.n) + "k" +
                     std::to_string(c.k) + " " + name_of(c.d) + "." + name_of(c.a) + "." + name_of(c.b) +
                     " " + kKinds[static_cast<std::size_t>(c.data)];
  if (c.sync) return text;
  text += " a:" + shown(c.at) + " b:" + shown(c.bt) + " steps " + std::to_string(c.steps);
  if (!c.scale_d) text += " scale-d 0";
  if (c.scale_a < 0) text += " -a";
  if (c.scale_b < 0) text += " -b";
  if (c.saturate) text += " satfinite";
  if (c.sparse) text += " sparse " + std::to_string(c.selector);
  return text;
}

std::uint64_t digest(const std::vector<std::uint32_t>& results) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const std::uint32_t word : results)
    for (int at = 0; at < 32; at += 8) hash = (hash ^ (word >> at & 0xFF)) * 0x100000001B3ull;
  return hash;
}

std::vector<Case> all_cases() {
  List list;
  add_sums(list);
  add_scales(list);
  add_widths(list);
  add_rows(list);
  add_columns(list);
  add_sparse(list);
  std::vector<Case> all = list.take();
  add_sync(all);
  return all;
}

}  // namespace sim::wgmma
