// wmma in every shape, type, layout and space of its tiles, against a plain loop over small whole numbers.
// (Tiles of 4-bit and 1-bit elements are recorded on a GPU: truth/cases_matrix.cpp.)
#include <catch2/catch_test_macros.hpp>

#include "simulator/instructions/convert/half.h"
#include "tests/simulator/engine/exec_support.h"

using namespace sim::exec;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

int small(int i, bool positive) { return (i * 7 + 3) % 11 - (positive ? 0 : 5); }

/// Bytes of small numbers in a type.
std::vector<unsigned char> numbers(const std::string& type, int count, int salt) {
  std::vector<unsigned char> bytes;
  for (int i = 0; i < count; ++i) {
    const int v = small(i + salt, type == "u8");
    const auto append = [&](auto value) {
      const auto* p = reinterpret_cast<const unsigned char*>(&value);
      bytes.insert(bytes.end(), p, p + sizeof value);
    };
    if (type == "f16") append(to_f16(float(v)));
    if (type == "bf16") append(to_bf16(float(v)));
    if (type == "tf32" || type == "f32") append(float(v));
    if (type == "f64") append(double(v));
    if (type == "s8" || type == "u8") append(static_cast<std::int8_t>(v));
    if (type == "s32") append(v);
  }
  return bytes;
}

double number_at(const std::string& type, const std::vector<unsigned char>& bytes, int i) {
  const auto at = [&]<class T>(T v) {
    std::memcpy(&v, bytes.data() + static_cast<std::size_t>(i) * sizeof v, sizeof v);
    return v;
  };
  if (type == "f16") return widened(at(f16{}));
  if (type == "f32") return at(0.0f);
  if (type == "f64") return at(0.0);
  return at(0);
}

int bytes_of(const std::string& type) {
  if (type == "f64") return 8;
  return type == "f16" || type == "bf16" ? 2 : type == "s8" || type == "u8" ? 1 : 4;
}

struct Tile {
  int m, n, k;
  std::string shape() const {
    return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  }
};

/// Element types, and registers of the fragments of a and b; those of the others follow.
struct Types {
  std::string in, d, c;
  int a, b;
  std::string tail = "";
  bool wide() const { return in == "f64"; }
  static int accumulators(const std::string& type) { return type == "f16" ? 4 : type == "f64" ? 2 : 8; }
  std::string text() const { return "." + d + (in == "f16" ? "" : "." + in + "." + in) + "." + c + tail; }
};

std::string registers(char name, int n) {
  std::string list = "{";
  for (int i = 0; i < n; ++i) list += (i ? ", %" : "%") + std::string(1, name) + std::to_string(i);
  return list + "}";
}

/// Where a tile's element lies.
int place(bool row_major, int row, int column, int rows, int columns) {
  return row_major ? row * columns + column : column * rows + row;
}

bool multiplies(const Tile& t, const Types& e, bool a_row, bool b_row, bool c_row, const std::string& space) {
  const auto layout = [](bool row) { return std::string(row ? ".row" : ".col"); };
  const std::string head = ".sync.aligned", bits = e.wide() ? "f64" : "b32";
  const bool shared = space.rfind(".shared", 0) == 0;
  const std::string memory[] = {"a", "b", "c"};
  const auto a = numbers(e.in, t.m * t.k, 0), b = numbers(e.in, t.k * t.n, 1), c = numbers(e.c, t.m * t.n, 5);
  std::string body =
      "  .reg .b32 %lane, %x;\n  .reg .b64 %ga, %gb, %gc, %gd, %p, %q;\n  .reg ." + bits +
      " %a<8>, %b<8>, %c<8>, %d<8>;\n  .shared .align 32 .b8 sa[1024], sb[1024], sc[2048], sd[2048];\n"
      "  mov.u32 %lane, %tid.x;\n  ld.param.u64 %gd, [d];\n";
  for (const std::string& name : memory) {
    body += "  ld.param.u64 %g" + name + ", [" + name + "];\n";
    const std::size_t size = name == "a" ? a.size() : name == "b" ? b.size() : c.size();
    if (!shared) continue;
    body += "  mad.wide.u32 %p, %lane, 4, %g" + name + ";\n  mov.u64 %q, s" + name +
            ";\n  mad.wide.u32 %q, %lane, 4, %q;\n";
    for (std::size_t at = 0; at < size; at += 128)
      body += "  ld.global.b32 %x, [%p+" + std::to_string(at) + "];\n  st.shared.b32 [%q+" +
              std::to_string(at) + "], %x;\n";
    body += "  mov.u64 %g" + name + ", s" + name + ";\n";
  }
  if (shared) body += "  mov.u64 %p, sd;\n  bar.sync 0;\n";
  const std::string to = shared ? "%p" : "%gd";
  const auto move = [&](const std::string& what, bool row, const std::string& type) {
    return "  wmma." + what + head + layout(row) + "." + t.shape() + space + "." + type;
  };
  const int accumulators = Types::accumulators(e.d);
  body += move("load.a", a_row, e.in) + " " + registers('a', e.a) + ", [%ga];\n" +
          move("load.b", b_row, e.in) + " " + registers('b', e.b) + ", [%gb];\n" +
          move("load.c", c_row, e.c) + " " + registers('c', Types::accumulators(e.c)) +
          ", [%gc];\n  wmma.mma" + head + layout(a_row) + layout(b_row) + "." + t.shape() + e.text() + " " +
          registers('d', accumulators) + ", " + registers('a', e.a) + ", " + registers('b', e.b) + ", " +
          registers('c', Types::accumulators(e.c)) + ";\n" + move("store.d", c_row, e.d) + " [" + to + "], " +
          registers('d', accumulators) + ";\n";
  const std::size_t result = static_cast<std::size_t>(t.m * t.n * bytes_of(e.d));
  if (shared) {
    body += "  bar.sync 0;\n  mad.wide.u32 %p, %lane, 4, %p;\n  mad.wide.u32 %gd, %lane, 4, %gd;\n";
    for (std::size_t at = 0; at < result; at += 128)
      body += "  ld.shared.b32 %x, [%p+" + std::to_string(at) + "];\n  st.global.b32 [%gd+" +
              std::to_string(at) + "], %x;\n";
  }
  Device device(kernel_text(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body + "  ret;"));
  device.shape.block = {32, 1, 1};
  const auto out = device.upload(std::vector<unsigned char>(result));
  device.run("k", device.upload(a), device.upload(b), device.upload(c), out);
  const auto got = device.download<unsigned char>(out, result);
  const bool positive = e.in == "u8";
  for (int i = 0; i < t.m; ++i) {
    for (int j = 0; j < t.n; ++j) {
      const int at = place(c_row, i, j, t.m, t.n);
      int sum = small(at + 5, false);
      for (int k = 0; k < t.k; ++k)
        sum +=
            small(place(a_row, i, k, t.m, t.k), positive) * small(place(b_row, k, j, t.k, t.n) + 1, positive);
      if (number_at(e.d, got, at) != sum) return false;
    }
  }
  return true;
}

void check(const Tile& t, const Types& e) {
  for (const bool a_row : {true, false})
    for (const bool b_row : {true, false})
      for (const bool c_row : {true, false})
        for (const std::string space : {"", ".global", ".shared", ".shared::cta"}) {
          // Generic addresses are of global memory here.
          INFO(t.shape() << e.text() << (a_row ? " row" : " col") << (b_row ? " row" : " col")
                         << (c_row ? " row" : " col") << space);
          CHECK(multiplies(t, e, a_row, b_row, c_row, space));
        }
}

}  // namespace

TEST_CASE("wmma multiplies tiles of every shape, type, layout and space") {
  const Tile square{16, 16, 16}, tall{32, 8, 16}, wide{8, 32, 16};
  for (const Tile& t : {square, tall, wide}) {
    for (const std::string d : {"f16", "f32"})
      for (const std::string c : {"f16", "f32"}) check(t, {"f16", d, c, 8, 8});
    for (const std::string tail : {"", ".satfinite"}) {
      for (const std::string in : {"s8", "u8"}) check(t, {in, "s32", "s32", t.m / 8, t.n / 8, tail});
    }
    check(t, {"bf16", "f32", "f32", t.m / 4, t.n / 4});
  }
  check({16, 16, 8}, {"tf32", "f32", "f32", 4, 4});
  for (const std::string tail : {"", ".rn"}) check({8, 8, 4}, {"f64", "f64", "f64", 1, 1, tail});
}
