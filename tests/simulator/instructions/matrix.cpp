// Tensor-core instructions against plain loops: wmma through memory, mma.sync by its documented fragments.
#include <catch2/catch_test_macros.hpp>

#include "simulator/instructions/convert/half.h"
#include "tests/simulator/engine/exec_support.h"

using namespace sim::exec;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// Small integers: every sum is exact in every accumulator.
int small(int i) { return (i * 7 + 3) % 11 - 5; }

template <class T>
std::vector<T> numbers(int n, int salt) {
  std::vector<T> v;
  for (int i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, f16>) {
      v.push_back(to_f16(float(small(i + salt))));
    } else if constexpr (std::is_same_v<T, bf16>) {
      v.push_back(to_bf16(float(small(i + salt))));
    } else {
      v.push_back(T(small(i + salt)));
    }
  }
  return v;
}

std::string registers(const char* prefix, int n) {
  std::string list = "{";
  for (int i = 0; i < n; ++i) list += (i ? ", %" : "%") + std::string(prefix) + std::to_string(i);
  return list + "}";
}

struct Wmma {
  std::string shape, in, out;  ///< "m16n16k16", "f16", "f32"
  int m, n, k, a, b, c;        ///< extents, and registers of the fragments
  std::string types;           ///< of the mma
};

/// d = a * b + 2 with a row-major, b column-major, d row-major in a matrix 3 elements wider.
template <class In, class Out>
void check_wmma(const Wmma& t) {
  const std::string reg_in = t.in == "f64" ? "f64" : "b32", reg_out = t.out == "f64" ? "f64" : "b32";
  const std::string body =
      "  .reg ." + reg_in + " %a<8>, %b<8>;\n  .reg ." + reg_out +
      " %c<8>, %d<8>;\n  .reg .b64 %p<4>;\n"
      "  ld.param.u64 %p0, [a];\n  ld.param.u64 %p1, [b];\n  ld.param.u64 %p2, [c];\n"
      "  wmma.load.a.sync.aligned.row." +
      t.shape + ".global." + t.in + " " + registers("a", t.a) + ", [%p0], " + std::to_string(t.k) +
      ";\n  wmma.load.b.sync.aligned.col." + t.shape + ".global." + t.in + " " + registers("b", t.b) +
      ", [%p1], " + std::to_string(t.k) + ";\n  wmma.load.c.sync.aligned.row." + t.shape + "." + t.out + " " +
      registers("c", t.c) + ", [%p2], " + std::to_string(t.n + 3) + ";\n  wmma.mma.sync.aligned.row.col." +
      t.shape + "." + t.types + " " + registers("d", t.c) + ", " + registers("a", t.a) + ", " +
      registers("b", t.b) + ", " + registers("c", t.c) + ";\n  wmma.store.d.sync.aligned.row." + t.shape +
      ".global." + t.out + " [%p2], " + registers("d", t.c) + ", " + std::to_string(t.n + 3) + ";\n  ret;";
  Device device(kernel_text(".param .u64 a, .param .u64 b, .param .u64 c", body));
  device.shape.block = {32, 1, 1};
  const auto c0 = numbers<Out>(t.m * (t.n + 3), 5);
  const auto a = device.upload(numbers<In>(t.m * t.k, 0)), b = device.upload(numbers<In>(t.n * t.k, 1)),
             c = device.upload(c0);
  device.run("k", a, b, c);
  const auto got = device.download<Out>(c, c0.size());
  for (int i = 0; i < t.m; ++i) {
    for (int j = 0; j < t.n + 3; ++j) {
      int sum = small(i * (t.n + 3) + j + 5);
      for (int k = 0; k < t.k && j < t.n; ++k) sum += small(i * t.k + k) * small(j * t.k + k + 1);
      double value;
      if constexpr (std::is_same_v<Out, f16>)
        value = widened(got[std::size_t(i * (t.n + 3) + j)]);
      else
        value = double(got[std::size_t(i * (t.n + 3) + j)]);
      INFO(t.shape << " " << t.types << " " << i << " " << j);
      REQUIRE(value == sum);
    }
  }
}

}  // namespace

TEST_CASE("wmma multiplies tiles of every element type") {
  check_wmma<f16, float>({"m16n16k16", "f16", "f32", 16, 16, 16, 8, 8, 8, "f32.f32"});
  check_wmma<f16, f16>({"m32n8k16", "f16", "f16", 32, 8, 16, 8, 8, 4, "f16.f16"});
  check_wmma<bf16, float>({"m8n32k16", "bf16", "f32", 8, 32, 16, 2, 8, 8, "f32.bf16.bf16.f32"});
  check_wmma<float, float>({"m16n16k8", "tf32", "f32", 16, 16, 8, 4, 4, 8, "f32.tf32.tf32.f32"});
  check_wmma<double, double>({"m8n8k4", "f64", "f64", 8, 8, 4, 1, 1, 2, "f64.f64.f64.f64.rn"});
  check_wmma<std::int8_t, int>({"m16n16k16", "s8", "s32", 16, 16, 16, 2, 2, 8, "s32.s8.s8.s32"});
}

TEST_CASE("mma.sync reads and writes the fragments that the PTX ISA documents") {
  // Every lane fills its registers from the matrices by
  // the manual's formulas; the result must be the product.
  struct Shape {
    const char *text, *in;
    int k, packed, a, b;
  };
  for (const Shape s : {Shape{"m16n8k16", "f16", 16, 2, 4, 2}, Shape{"m16n8k8", "f16", 8, 2, 2, 1},
                        Shape{"m16n8k16", "bf16", 16, 2, 4, 2}, Shape{"m16n8k8", "tf32", 8, 1, 4, 2},
                        Shape{"m16n8k4", "tf32", 4, 1, 2, 1}}) {
    const auto bits = [&](int value) -> std::uint32_t {
      const float v = float(value);
      if (std::string(s.in) == "f16") return std::uint32_t(to_f16(v));
      if (std::string(s.in) == "bf16") return std::uint32_t(to_bf16(v));
      return std::bit_cast<std::uint32_t>(v);
    };
    std::vector<std::uint32_t> in(32 * 8);
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane / 4, member = lane % 4;
      for (int r = 0; r < s.a; ++r)
        for (int e = 0; e < s.packed; ++e) {
          const int row = group + (r % 2) * 8, column = member * s.packed + (r / 2) * 4 * s.packed + e;
          in[std::size_t(lane * 8 + r)] |= bits(small(row * s.k + column)) << 16 * e;
        }
      for (int r = 0; r < s.b; ++r)
        for (int e = 0; e < s.packed; ++e) {
          const int row = member * s.packed + r * 4 * s.packed + e;
          in[std::size_t(lane * 8 + 4 + r)] |= bits(small(row * 8 + group + 1)) << 16 * e;
        }
    }
    Device device(
        kernel_text(".param .u64 in, .param .u64 out",
                    R"(
  .reg .b32 %t, %x<8>;
  .reg .f32 %d<4>, %c;
  .reg .b64 %p<4>;
  ld.param.u64 %p0, [in];
  ld.param.u64 %p1, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p2, %t, 32, %p0;
  mad.wide.u32 %p3, %t, 16, %p1;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%p2];
  ld.global.v4.u32 {%x4, %x5, %x6, %x7}, [%p2+16];
  mov.f32 %c, 0f3F800000;
  mma.sync.aligned.)" + std::string(s.text) +
                        ".row.col.f32." + s.in + "." + s.in + ".f32 {%d0, %d1, %d2, %d3}, " +
                        registers("x", s.a) + ", " + (s.b == 2 ? "{%x4, %x5}" : "{%x4}") +
                        ", {%c, %c, %c, %c};\n  st.global.v4.f32 [%p3], {%d0, %d1, %d2, %d3};\n  ret;"));
    device.shape.block = {32, 1, 1};
    const auto out = device.upload(std::vector<float>(128));
    device.run("k", device.upload(in), out);
    const auto got = device.download<float>(out, 128);
    for (int lane = 0; lane < 32; ++lane)
      for (int e = 0; e < 4; ++e) {
        const int row = lane / 4 + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
        int sum = 1;
        for (int k = 0; k < s.k; ++k) sum += small(row * s.k + k) * small(k * 8 + column + 1);
        INFO(s.text << " " << s.in << " lane " << lane << " element " << e);
        REQUIRE(got[std::size_t(lane * 4 + e)] == float(sum));
      }
  }
}

TEST_CASE("ldmatrix hands out 8x8 matrices, transposed if asked") {
  for (const bool transposed : {false, true}) {
    Device device(
        kernel_text(".param .u64 in, .param .u64 out", R"(
  .reg .b32 %t, %s, %a, %r<4>;
  .reg .b64 %p<4>, %v<2>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %p0, [in];
  ld.param.u64 %p1, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %s, tile;
  mad.lo.u32 %a, %t, 16, %s;
  mad.wide.u32 %p2, %t, 16, %p0;
  cp.async.cg.shared.global [%a], [%p2], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4)" + std::string(transposed ? ".trans" : "") +
                                                           R"(.shared.b16 {%r0, %r1, %r2, %r3}, [%a];
  mad.wide.u32 %p3, %t, 16, %p1;
  st.global.v4.u32 [%p3], {%r0, %r1, %r2, %r3};
  ret;)"));
    std::vector<std::uint16_t> in(256);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint16_t(i);
    device.shape.block = {32, 1, 1};
    const auto out = device.upload(std::vector<std::uint16_t>(256));
    const auto counters = device.run("k", device.upload(in), out).counters;
    const auto got = device.download<std::uint16_t>(out, 256);
    for (int lane = 0; lane < 32; ++lane)
      for (int matrix = 0; matrix < 4; ++matrix)
        for (int e = 0; e < 2; ++e) {
          int row = lane / 4, column = lane % 4 * 2 + e;
          if (transposed) std::swap(row, column);
          CHECK(got[std::size_t(lane * 8 + matrix * 2 + e)] == matrix * 64 + row * 8 + column);
        }
    CHECK(counters.shared_load_requests == 1);
    CHECK(counters.shared_load_wavefronts == 4);
    CHECK(counters.global_load_sectors == 16);
  }
}

TEST_CASE("a barrier in shared memory opens when all have arrived") {
  Device device(kernel_text(".param .u64 out", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %s, %v;
  .reg .b64 %o, %state;
  .shared .align 8 .b8 bar[8];
  .shared .align 4 .b8 data[512];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %o, %t, 4, %o;
  setp.ne.u32 %p, %t, 0;
  @%p bra $go;
  mbarrier.init.shared.b64 [bar], 128;
$go:
  bar.sync 0;
  mov.u32 %s, data;
  mad.lo.u32 %s, %t, 4, %s;
  st.shared.u32 [%s], %t;
  mbarrier.arrive.shared.b64 %state, [bar];
$wait:
  mbarrier.test_wait.shared.b64 %q, [bar], %state;
  @!%q bra $wait;
  xor.b32 %t, %t, 127;
  mov.u32 %s, data;
  mad.lo.u32 %s, %t, 4, %s;
  ld.shared.u32 %v, [%s];
  st.global.u32 [%o], %v;
  ret;)"));
  device.shape.block = {128, 1, 1};
  const auto out = device.upload(std::vector<unsigned>(128));
  device.run("k", out);
  const auto got = device.download<unsigned>(out, 128);
  for (unsigned i = 0; i < 128; ++i) CHECK(got[i] == (i ^ 127));
}
