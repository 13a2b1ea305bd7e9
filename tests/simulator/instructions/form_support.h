// Runs one instruction over 32 lanes of chosen operands:
// the truth of a form is the host's arithmetic beside it.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "simulator/decode/instruction_def.h"
#include "tests/simulator/engine/exec_support.h"

namespace sim::test {

template <class T>
const char* ptx_name() {
  return ptx::name_of(exec::type_of<T>());
}

/// Edge values of a type, and some in between.
template <class T>
std::vector<T> edge_values() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3),
            T(0.1),
            T(-0.7),
            T(1e-3),
            T(123.456),
            T(-65504),
            T(1e6),
            T(-3e9),
            T(16777217),
            T(1e30),
            L::min(),
            -L::min(),
            L::denorm_min(),
            L::max(),
            -L::max(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            L::epsilon(),
            T(1) + L::epsilon(),
            T(2147483648.0),
            T(-2147483648.0),
            T(4294967295.0),
            T(0.49999997)};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(5),
            T(7),
            T(8),
            T(15),
            T(16),
            T(31),
            T(32),
            T(33),
            T(63),
            T(64),
            T(100),
            T(127),
            T(-1),
            T(-2),
            T(-3),
            T(-7),
            T(-128),
            L::max(),
            L::min(),
            T(L::max() - 1),
            T(L::min() + 1),
            T(L::max() / 2),
            T(0x5555555555555555ull),
            T(0xAAAAAAAAAAAAAAAAull),
            T(12345),
            T(-54321),
            T(0x0F0F0F0F0F0F0F0Full),
            T(1) << (8 * sizeof(T) - 2)};
  }
}

/// Registers are declared by width; the type of 8-bit values is that of a 16-bit register.
template <class T>
std::string register_type() {
  if (std::is_floating_point_v<T>) return ptx_name<T>();
  return "b" + std::to_string(8 * std::max<std::size_t>(sizeof(T), 2));
}

/// d[i] = instruction(a[i], b[i], ...) on a device, for every i.
/// @param instruction  such as "add.u32"; @p tail follows the operands, such as ", 0x96"
template <class R, class... A>
std::vector<R> evaluate(const std::string& instruction, const std::string& tail,
                        const std::vector<A>&... sources) {
  const std::size_t n = std::get<0>(std::tie(sources...)).size();
  std::string params = ".param .u64 out, .param .u32 n", body = R"(
  .reg .pred %p;
  .reg .b32 %t, %i, %n;
  .reg .b64 %q, %o;
)";
  std::string loads, operands;
  int k = 0;
  const auto source = [&]<class T>(std::type_identity<T>) {
    const std::string id = std::to_string(k++);
    params += ", .param .u64 in" + id;
    body += "  .reg ." + register_type<T>() + " %a" + id + ";\n";
    loads += "  ld.param.u64 %q, [in" + id + "];\n  mad.wide.u32 %q, %i, " + std::to_string(sizeof(T)) +
             ", %q;\n  ld.global." + (sizeof(T) == 1 ? ptx_name<T>() : "b" + std::to_string(8 * sizeof(T))) +
             " %a" + id + ", [%q];\n";
    operands += ", %a" + id;
  };
  (source(std::type_identity<A>()), ...);
  body += "  .reg ." + register_type<R>() + " %d;\n" + R"(
  mov.u32 %t, %ctaid.x;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %i, %t, 32, %i;
  ld.param.u32 %n, [n];
  setp.ge.u32 %p, %i, %n;
  @%p exit;
)" + loads +
          "  " + instruction + " %d" + operands + tail +
          ";\n  ld.param.u64 %q, [out];\n  mad.wide.u32 %q, %i, " + std::to_string(sizeof(R)) +
          ", %q;\n  st.global.b" + std::to_string(8 * sizeof(R)) + " [%q], %d;\n  ret;";
  Device device(kernel_text(params, body));
  const auto out = device.upload(std::vector<R>(n));
  device.shape.grid = {unsigned(n + 31) / 32, 1, 1};
  device.shape.block = {32, 1, 1};
  device.run("k", out, std::uint32_t(n), device.upload(sources)...);
  return device.download<R>(out, n);
}

/// The same bits, or both NaN.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a && b != b) return true;
  }
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Every pair of edge values, as two columns.
template <class A, class B>
std::pair<std::vector<A>, std::vector<B>> all_pairs(const std::vector<A>& a, const std::vector<B>& b) {
  std::pair<std::vector<A>, std::vector<B>> columns;
  for (A x : a)
    for (B y : b) {
      columns.first.push_back(x);
      columns.second.push_back(y);
    }
  return columns;
}

/// Compares an instruction of one source with the host's
/// function; the description of the first difference, or "".
template <class R, class A, class F>
std::string differs(const std::string& instruction, F truth, const std::vector<A>& a = edge_values<A>()) {
  const auto got = evaluate<R>(instruction, "", a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const R want = truth(a[i]);
    if (!same(got[i], want))
      return instruction + "(" + std::to_string(a[i]) + ") = " + std::to_string(got[i]) + ", not " +
             std::to_string(want);
  }
  return "";
}

template <class R, class A, class B, class F>
std::string differs2(const std::string& instruction, F truth) {
  const auto [a, b] = all_pairs(edge_values<A>(), edge_values<B>());
  const auto got = evaluate<R>(instruction, "", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const R want = truth(a[i], b[i]);
    if (!same(got[i], want))
      return instruction + "(" + std::to_string(a[i]) + ", " + std::to_string(b[i]) +
             ") = " + std::to_string(got[i]) + ", not " + std::to_string(want);
  }
  return "";
}

template <class R, class A, class B, class C, class F>
std::string differs3(const std::string& instruction, F truth) {
  auto [a, b] = all_pairs(edge_values<A>(), edge_values<B>());
  const auto some = edge_values<C>();
  std::vector<C> c;
  for (std::size_t i = 0; i < a.size(); ++i) c.push_back(some[(i * 7 + i / 32) % some.size()]);
  const auto got = evaluate<R>(instruction, "", a, b, c);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const R want = truth(a[i], b[i], c[i]);
    if (!same(got[i], want))
      return instruction + "(" + std::to_string(a[i]) + ", " + std::to_string(b[i]) + ", " +
             std::to_string(c[i]) + ") = " + std::to_string(got[i]) + ", not " + std::to_string(want);
  }
  return "";
}

}  // namespace sim::test
