// Atomic operations of every kind and type, in global, shared and generic memory.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulator/instructions/convert/half.h"
#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

namespace {

template <class T>
struct Outcome {
  std::vector<T> old;
  T last;
};

/// 32 lanes in turn apply @p operation with their operand to one word that starts as @p start.
/// @param space  "global", "shared" or "" for generic; the generic address is one of shared memory
template <class T>
Outcome<T> apply(const std::string& space, const std::string& operation, T start,
                 const std::vector<T>& operands) {
  const std::string type = "b" + std::to_string(8 * sizeof(T)), reg = register_type<T>();
  const std::string target = space == "global" ? "%g" : space == "shared" ? "%s" : "%generic";
  const bool swap = operation.starts_with("cas");
  Device device(
      kernel_text(".param .u64 word, .param .u64 in, .param .u64 out", R"(
  .reg .b32 %t, %s;
  .reg .b64 %g, %i, %o, %generic;
  .reg .)" + reg + R"( %x, %old, %start;
  .shared .align 16 .b8 cell[16];
  mov.u32 %t, %tid.x;
  ld.param.u64 %g, [word];
  ld.param.u64 %i, [in];
  ld.param.u64 %o, [out];
  mad.wide.u32 %i, %t, )" + std::to_string(sizeof(T)) + R"(, %i;
  mad.wide.u32 %o, %t, )" + std::to_string(sizeof(T)) + R"(, %o;
  mov.u32 %s, cell;
  cvt.u64.u32 %generic, %s;
  cvta.shared.u64 %generic, %generic;
  ld.global.)" + type + R"( %start, [%g];
  st.shared.)" + type + R"( [%s], %start;
  ld.global.)" + type + R"( %x, [%i];
  bar.sync 0;
  atom.)" + (space.empty() ? "" : space + ".") + operation + " %old, [" + target +
                                                                           "], " + (swap ? "%start, " : "") +
                                                                           R"(%x;
  st.global.)" + type + R"( [%o], %old;
  bar.sync 0;
)" + (space == "global" ? "" : "  ld.shared." + type + " %x, [%s];\n  st.global." + type + " [%g], %x;\n") +
                                                                           "  ret;"));
  device.shape.block = {32, 1, 1};
  const auto word = device.upload(std::vector<T>{start}), out = device.upload(std::vector<T>(32));
  device.run("k", word, device.upload(operands), out);
  return {device.download<T>(out, 32), device.download<T>(word, 1)[0]};
}

template <class T, class F>
void check(const std::string& operation, T start, F truth) {
  const std::vector<T> operands = edge_values<T>();
  for (const char* space : {"global", "shared", ""}) {
    const auto got = apply<T>(space, operation, start, operands);
    T value = start;
    for (std::size_t i = 0; i < 32; ++i) {
      INFO(space << " " << operation << " lane " << i);
      REQUIRE(same(got.old[i], value));
      value = truth(value, operands[i]);
    }
    REQUIRE(same(got.last, value));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("integer atomics return what was there before, lane after lane", "", u32, s32, u64, s64) {
  using T = TestType;
  const std::string type = std::string(".") + ptx_name<T>(), bits = ".b" + std::to_string(8 * sizeof(T));
  check<T>("add" + (std::is_same_v<T, s64> ? std::string(".u64") : type), T(17),
           [](T a, T b) { return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b)); });
  check<T>("min" + type, T(17), [](T a, T b) { return std::min(a, b); });
  check<T>("max" + type, T(17), [](T a, T b) { return std::max(a, b); });
  check<T>("and" + bits, T(~T(0)), [](T a, T b) { return T(a & b); });
  check<T>("or" + bits, T(0), [](T a, T b) { return T(a | b); });
  check<T>("xor" + bits, T(3), [](T a, T b) { return T(a ^ b); });
  check<T>("exch" + bits, T(3), [](T, T b) { return b; });
  check<T>("cas" + bits, T(5), [](T a, T b) { return a == T(5) ? b : a; });
}

TEST_CASE("inc and dec wrap at their operand") {
  check<u32>("inc.u32", 6, [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
  check<u32>("dec.u32", 6, [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
}

TEST_CASE("floating-point atomics add in lane order") {
  check<float>("add.f32", 1.5f, [](float a, float b) { return a + b; });
  check<double>("add.f64", 1.5, [](double a, double b) { return a + b; });
}

TEST_CASE("pairs of halves are added each for itself") {
  std::vector<u32> operands;
  for (u32 i = 0; i < 32; ++i) operands.push_back(u32(pair_of(to_f16(float(i)), to_f16(-0.25f * float(i)))));
  const auto got = apply<u32>("global", "add.noftz.f16x2", 0, operands);
  CHECK(got.last == u32(pair_of(to_f16(496.0f), to_f16(-124.0f))));
}

TEST_CASE("reductions without a result run side by side and lose nothing") {
  for (const char* operation : {"red.global.add.u32", "atom.global.add.u32 %d,"}) {
    Device device(kernel_text(".param .u64 p", R"(
  .reg .b32 %d;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  )" + std::string(operation) + R"( [%a], 3;
  ret;)"));
    device.shape.grid = {500, 1, 1};
    device.shape.block = {96, 1, 1};
    device.shape.host_threads = 4;
    const auto p = device.upload(std::vector<unsigned>{1});
    device.run("k", p);
    CHECK(device.download<unsigned>(p, 1)[0] == 1 + 3 * 500 * 96);
  }
}
