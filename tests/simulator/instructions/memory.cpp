// Loads and stores of every type, vector width and space, and moves between registers and their parts.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

namespace {

/// Lane i copies @p vector elements of type T from in[order[i]] to out[order[i]], by way of @p space.
template <class T>
std::vector<T> copied(const std::vector<T>& in, int vector, const std::string& space,
                      const std::vector<u32>& order, unsigned threads = 32) {
  const std::string type = ptx_name<T>(), reg = register_type<T>();
  const std::string dot_v = vector == 1 ? "" : ".v" + std::to_string(vector);
  std::string list;
  for (int i = 0; i < vector; ++i) list += (i ? ", %x" : "%x") + std::to_string(i);
  if (vector > 1) list = "{" + list + "}";
  const int bytes = int(sizeof(T)) * vector;
  std::string middle;
  if (space == "shared" || space == "local") {
    middle = "  st." + space + dot_v + "." + type + " [%q], " + list + ";\n  ld." + space + dot_v + "." +
             type + " " + list + ", [%q];\n";
  }
  const std::string plain = space == "generic" ? "" : ".global";
  Device device(kernel_text(
      ".param .u64 in, .param .u64 out, .param .u64 order", R"(
  .reg .b32 %t, %n, %s;
  .reg .b64 %i, %o, %r, %q;
  .reg .)" + reg + R"( %x<4>;
  .shared .align 16 .b8 tile[1024];
  .local .align 16 .b8 depot[32];
  ld.param.u64 %i, [in];
  ld.param.u64 %o, [out];
  ld.param.u64 %r, [order];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %r, %t, 4, %r;
  ld.global.u32 %n, [%r];
  mad.wide.u32 %i, %n, )" + std::to_string(bytes) + R"(, %i;
  mad.wide.u32 %o, %n, )" + std::to_string(bytes) + R"(, %o;
  mov.u64 %q, )" + (space == "local" ? "depot" : "tile") + ";\n  " +
                                                                (space == "local"
                                                                     ? ""
                                                                     : "mad.wide.u32 %q, %t, " +
                                                                           std::to_string(bytes) + ", %q;") +
                                                                R"(
  ld)" + plain + dot_v + "." + type + " " + list + R"(, [%i];
)" + middle + "  st" + plain + dot_v + "." + type + " [%o], " + list +
                                                                ";\n  ret;"));
  device.shape.block = {threads, 1, 1};
  const auto out = device.upload(std::vector<T>(in.size()));
  device.run("k", device.upload(in), out, device.upload(order));
  return device.download<T>(out, in.size());
}

}  // namespace

TEMPLATE_TEST_CASE("values pass through memory unchanged, in order or scattered", "", u8, s8, u16, s16, u32,
                   s32, u64, s64, float, double) {
  using T = TestType;
  std::vector<u32> straight(32), scattered(32);
  for (u32 i = 0; i < 32; ++i) {
    straight[i] = i;
    scattered[i] = (i * 13 + 5) % 32;
  }
  for (int vector : {1, 2, 4}) {
    if (vector * sizeof(T) > 16) continue;
    std::vector<T> in;
    for (int k = 0; k < vector; ++k)
      for (T v : edge_values<T>()) in.push_back(v);
    for (const char* space : {"global", "generic", "shared", "local"}) {
      INFO(vector << " " << space << " " << ptx_name<T>());
      const auto a = copied<T>(in, vector, space, straight), b = copied<T>(in, vector, space, scattered);
      CHECK(std::memcmp(a.data(), in.data(), in.size() * sizeof(T)) == 0);
      CHECK(std::memcmp(b.data(), in.data(), in.size() * sizeof(T)) == 0);
      // A ragged warp moves its own elements only.
      const auto c = copied<T>(in, vector, space, straight, 19);
      for (std::size_t i = 0; i < in.size(); ++i)
        CHECK(same(c[i], i < std::size_t(19 * vector) ? in[i] : T(0)));
    }
  }
}

TEST_CASE("narrow loads extend by the sign of their type, narrow stores cut") {
  std::vector<u32> bytes;
  for (u32 i = 0; i < 32; ++i) bytes.push_back(i * 0x01F7A935u + 0x80u);
  const auto through = [&](const std::string& load, const std::string& reg) {
    Device device(kernel_text(".param .u64 io", R"(
  .reg .b32 %t;
  .reg .b64 %a, %w;
  .reg .)" + reg + R"( %x;
  ld.param.u64 %a, [io];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 4, %a;
  )" + load + R"( %x, [%a];
  cvt.u64.u)" + reg.substr(1) + R"( %w, %x;
  st.global.u32 [%a], %w;
  ret;)"));
    device.shape.block = {32, 1, 1};
    const auto io = device.upload(bytes);
    device.run("k", io);
    return device.download<u32>(io, 32);
  };
  const auto s8_32 = through("ld.global.s8", "b32"), u8_64 = through("ld.global.u8", "b64");
  const auto s16_64 = through("ld.global.s16", "b64"), s8_16 = through("ld.global.s8", "b16");
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(s8_32[i] == u32(s32(s8(bytes[i]))));
    CHECK(u8_64[i] == u32(u8(bytes[i])));
    CHECK(s16_64[i] == u32(s32(s16(bytes[i]))));
    CHECK(s8_16[i] == u32(u16(s16(s8(bytes[i])))));
  }
}

TEST_CASE("a register is put together from parts and taken apart") {
  const auto a = edge_values<u32>();
  const std::vector<u32> b(a.rbegin(), a.rend());
  const auto joined =
      evaluate<u64>("{ .reg .b64 %w; mov.b64 %w, {%a0, %a1}; mov.b64 %d, %w; } //", "\n;", a, b);
  const auto upper = evaluate<u32>(
      "{ .reg .b32 %l; .reg .b64 %w; mov.b64 %w, {%a0, %a1}; mov.b64 {%l, %d}, %w; } //", "\n;", a, b);
  const auto halves =
      evaluate<u32>("{ .reg .b16 %l, %h; mov.b32 {%l, %h}, %a0; mov.b32 %d, {%h, %l}; } //", "\n;", a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(joined[i] == (u64(b[i]) << 32 | a[i]));
    CHECK(upper[i] == b[i]);
    CHECK(halves[i] == (a[i] << 16 | a[i] >> 16));
  }
}

TEST_CASE("a warp that loads one word gives it to every lane, and no other lane is touched") {
  std::vector<u32> in{11, 22, 33}, same_place(32, 1);
  const auto out = copied<u32>(in, 1, "global", same_place, 7);
  CHECK(out == std::vector<u32>{0, 22, 0});
}

TEST_CASE("isspacep tells where a generic address lies") {
  const std::string text = R"({ .reg .pred %x; .reg .b64 %w; .shared .align 4 .b8 cell[4]; mov.u64 %w, cell;
    cvta.shared.u64 %w, %w; isspacep.shared %x, %w; selp.u32 %d, 1, 0, %x; @!%x add.u32 %d, %d, %a0;
    isspacep.global %x, %w; @%x add.u32 %d, %d, 10; } //)";
  CHECK(evaluate<u32>(text, "\n;", std::vector<u32>{5})[0] == 1);
}

TEST_CASE("registers of 8 bits are loaded, converted and stored") {
  // As the toolkit's headers write it for a load past the L1 cache.
  Device device(kernel_text(".param .u64 in, .param .u64 out", R"(
  .reg .b32 %t, %w<2>;
  .reg .b16 %h<2>;
  .reg .b64 %i, %o, %x;
  ld.param.u64 %i, [in];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  cvt.u64.u32 %x, %t;
  add.u64 %i, %i, %x;
  mad.wide.u32 %o, %t, 16, %o;
  { .reg .u8 datum; ld.global.nc.u8 datum, [%i]; cvt.u16.u8 %h0, datum; }
  { .reg .s8 datum; ld.global.s8 datum, [%i]; cvt.s16.s8 %h1, datum; }
  { .reg .s8 datum; ld.global.s8 datum, [%i]; cvt.s32.s8 %w0, datum; }
  { .reg .b8 datum; ld.global.b8 datum, [%i]; st.global.b8 [%o+8], datum; }
  cvt.u32.u16 %w1, %h0;
  st.global.u32 [%o], %w1;
  cvt.s32.s16 %w1, %h1;
  st.global.u32 [%o+4], %w1;
  st.global.u32 [%o+12], %w0;
  ret;)"));
  device.shape.block = {32, 1, 1};
  std::vector<u8> in(32);
  for (u32 i = 0; i < 32; ++i) in[i] = u8(i * 8 + 3);
  const auto out = device.upload(std::vector<u32>(128));
  device.run("k", device.upload(in), out);
  const auto got = device.download<u32>(out, 128);
  for (u32 i = 0; i < 32; ++i) {
    CHECK(got[4 * i] == in[i]);
    CHECK(s32(got[4 * i + 1]) == s8(in[i]));
    CHECK(got[4 * i + 2] == in[i]);
    CHECK(s32(got[4 * i + 3]) == s8(in[i]));
  }
}
