// Boxes copied by tensor maps: every rank, swizzle, border, fill and step, against a loop over their
// elements.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <initializer_list>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/tensor_support.h"
#include "tests/simulator/truth/cases.h"

using Catch::Matchers::ContainsSubstring;
using sim::memory::TensorMap;
using namespace sim::test::tensor;

namespace {

/// Calls @p act(place in the tensor or -1, place in the tile) for each element of a box.
void each_element(const TensorMap& map, const std::vector<int>& at,
                  const std::function<void(long, unsigned)>& act) {
  unsigned n = 1;
  for (unsigned i = 0; i < map.rank; ++i) n *= map.length(i);
  for (unsigned k = 0; k < n; ++k) {
    long place = 0;
    bool inside = true;
    unsigned rest = k;
    for (unsigned i = 0; i < map.rank; ++i) {
      const long x = at[i] + long(rest % map.length(i)) * (i == 0 ? 1 : map.step[i]);
      rest /= map.length(i);
      inside = inside && x >= 0 && x < long(map.extent[i]);
      place += x * long(i == 0 ? map.element_bytes : map.stride[i - 1]);
    }
    // A row has at least a span of the swizzle.
    const unsigned row = map.length(0) * map.element_bytes, span = map.swizzle == 0 ? 0 : 16u << map.swizzle;
    unsigned to = k / map.length(0) * std::max(row, span) + k % map.length(0) * map.element_bytes;
    if (map.swizzle == 1) to ^= (to >> 7 & 1) << 4;
    if (map.swizzle == 2) to ^= (to >> 7 & 3) << 4;
    if (map.swizzle == 3) to ^= (to >> 7 & 7) << 4;
    act(inside ? place : -1, to);
  }
}

void check_load(const TensorMap& map, const std::vector<int>& at, const std::string& spelling = "") {
  const std::string copy = spelling.empty() ? "cp.async.bulk.tensor." + std::to_string(map.rank) +
                                                  "d.shared::cluster.global.mbarrier::complete_tx::bytes"
                                            : spelling;
  const bool policy = copy.find("cache_hint") != copy.npos;
  const Run got = run_box(
      kExpect + copy + " [%f], [%m, " + list_of(map.rank) + "], [ready]" + (policy ? ", %y;" : ";") + kWait,
      map, at);
  const auto tensor = tensor_bytes(map);
  unsigned wrong = 0, checked = 0;
  each_element(map, at, [&](long place, unsigned to) {
    for (unsigned b = 0; b < map.element_bytes; ++b, ++checked) {
      const unsigned char fill = map.nan_fill == 0 ? 0 : b % 2 == 1 ? 0x7F : 0xF7;
      wrong += got.tile[to + b] != (place < 0 ? fill : tensor[std::size_t(place) + b]);
    }
  });
  CHECK(wrong == 0);
  CHECK(checked == map.box_bytes());
  // Behind the box the tile is as it was.
  unsigned word = 0;
  std::memcpy(&word, &got.tile[map.shared_bytes()], 4);
  CHECK(word == map.shared_bytes() / 4);
}

const std::vector<std::vector<unsigned>> kExtents = {{70},
                                                     {24, 9},
                                                     {24, 5, 4},
                                                     {24, 3, 4, 3},
                                                     {24, 3, 2, 3, 2}},
                                         kBoxes = {{32}, {16, 4}, {8, 3, 2}, {8, 2, 2, 2}, {8, 2, 2, 2, 2}};

}  // namespace

TEST_CASE("boxes of one to five axes are loaded, and zeros where they leave the tensor") {
  for (unsigned rank = 1; rank <= 5; ++rank)
    for (int shift = -32; shift <= 72; shift += 8) {
      INFO(rank << " axes at " << shift);
      std::vector<int> at(rank, shift / 8);
      at[0] = shift;
      check_load(map_of(2, kExtents[rank - 1], kBoxes[rank - 1]), at);
    }
  for (const int far : {-100'000, 100'000}) check_load(map_of(4, {20, 6}, {8, 3}), {0, far});
}

TEST_CASE("loads in every spelling") {
  for (const std::string& name :
       sim::truth::expand("cp.async.bulk.tensor(.1d,.2d,.3d,.4d,.5d)(.shared::cluster,.shared::cta).global{."
                          "tile}.mbarrier::complete_tx::"
                          "bytes{.L2::cache_hint}")) {
    INFO(name);
    const unsigned rank = unsigned(name[name.find("d.shared") - 1] - '0');
    std::vector<int> at(rank, 1);
    at[0] = 8;
    check_load(map_of(2, kExtents[rank - 1], kBoxes[rank - 1]), at, name);
  }
}

TEST_CASE("the pieces of swizzled boxes change places") {
  for (unsigned swizzle = 0; swizzle <= 3; ++swizzle)
    for (unsigned row = 16; row <= (swizzle == 0 ? 256u : 16u << swizzle); row *= 2)
      for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
        INFO("swizzle " << swizzle << ", rows of " << row << ", elements of " << bytes);
        TensorMap map = map_of(bytes, {256 / bytes, 20}, {row / bytes, 17});
        map.swizzle = std::uint8_t(swizzle);
        check_load(map, {int(16 / bytes), 2});
        check_load(map, {-int(16 / bytes), -1});
      }
}

TEST_CASE("fills with NaN, and steps along axes") {
  for (const unsigned bytes : {2u, 4u, 8u}) {
    TensorMap map = map_of(bytes, {20, 6}, {16, 4});
    map.nan_fill = 1;
    map.element = bytes == 2   ? sim::memory::TensorElement::f16
                  : bytes == 4 ? sim::memory::TensorElement::f32
                               : sim::memory::TensorElement::f64;
    check_load(map, {-int(16 / bytes), 4});
    check_load(map, {16, 4});
  }
  for (const unsigned axis : {1u, 2u})
    for (const unsigned step : {2u, 3u, 8u}) {
      TensorMap map = map_of(2, {40, 20, 10}, {16, 12, 4});
      map.step[axis] = std::uint8_t(step);
      check_load(map, {8, 3, 1});
      check_load(map, {-8, -2, -1});
    }
}

TEST_CASE("a box comes to the same place of each block of a mask") {
  for (const std::string& name : sim::truth::expand("cp.async.bulk.tensor.2d.shared::cluster.global{.tile}."
                                                    "mbarrier::complete_tx::bytes.multicast::cluster"
                                                    "{.L2::cache_hint}")) {
    const TensorMap map = map_of(2, {24, 9}, {16, 4});
    const bool policy = name.find("cache_hint") != name.npos;
    const Run got = run_box("setp.eq.u32 %p, %r, 1;\n  @%p bra skip;\n" + kExpect + R"(
  setp.ne.u32 %p, %r, 0;
  @%p bra others;
  mov.b16 %h, 5;
  )" + name + " [%f], [%m, {%c0, %c1}], [ready], %h" +
                                (policy ? ", %y;" : ";") + "\nothers:" + kWait + "skip:",
                            map, {-8, 1}, 3);
    const auto tensor = tensor_bytes(map);
    each_element(map, {-8, 1}, [&](long place, unsigned to) {
      for (const unsigned block : {0u, 2u})
        CHECK(got.tile[kTile * block + to] == (place < 0 ? 0 : tensor[std::size_t(place)]));
    });
    CHECK(got.tile[kTile + 4] == 1);
  }
}

TEST_CASE("boxes are stored, and reduced, where they lie inside the tensor") {
  for (const std::string& name :
       sim::truth::expand("cp(.async,.reduce.async).bulk.tensor(.1d,.2d,.3d,.4d,.5d).global.shared::cta(,."
                          "add,.min,.max,.inc,.dec,.and,.or,"
                          ".xor){.tile}.bulk_group{.L2::cache_hint}")) {
    const bool reduces = name.find(".reduce") != name.npos;
    const std::size_t begin = name.find("shared::cta.") + 12;
    const std::string operation = name.substr(begin, name.find('.', begin) - begin);
    const bool named = operation.size() <= 3;
    if (named != reduces) continue;
    INFO(name);
    const unsigned rank = unsigned(name[name.find("d.global") - 1] - '0');
    const bool policy = name.find("cache_hint") != name.npos;
    TensorMap map = map_of(4, kExtents[rank - 1], kBoxes[rank - 1]);
    const unsigned narrowest = map.row_bytes() <= 32 ? 1 : map.row_bytes() <= 64 ? 2 : 3;
    for (const unsigned swizzle : {0u, narrowest}) {
      map.swizzle = std::uint8_t(swizzle);
      std::vector<int> at;
      for (const unsigned extent : kExtents[rank - 1]) at.push_back(int(extent) - 1);
      at[0] = 16;
      const Run got = run_box(name + " [%m, " + list_of(rank) + "], [%f]" + (policy ? ", %y;" : ";") +
                                  " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                              map, at);
      std::vector<unsigned char> want = tensor_bytes(map);
      each_element(map, at, [&](long place, unsigned from) {
        if (place < 0) return;
        unsigned old = 0;
        std::memcpy(&old, &want[std::size_t(place)], 4);
        const unsigned b = from / 4;
        const unsigned value = !reduces             ? b
                               : operation == "add" ? old + b
                               : operation == "min" ? std::min(old, b)
                               : operation == "max" ? std::max(old, b)
                               : operation == "inc" ? (old >= b ? 0 : old + 1)
                               : operation == "dec" ? (old == 0 || old > b ? b : old - 1)
                               : operation == "and" ? (old & b)
                               : operation == "or"  ? (old | b)
                                                    : (old ^ b);
        std::memcpy(&want[std::size_t(place)], &value, 4);
      });
      CHECK(got.tensor == want);
    }
  }
}

TEST_CASE("a prefetch of a box changes nothing") {
  for (const std::string& name : sim::truth::expand(
           "cp.async.bulk.prefetch.tensor(.1d,.2d,.3d,.4d,.5d).L2.global{.tile}{.L2::cache_hint}")) {
    INFO(name);
    const unsigned rank = unsigned(name[name.find("d.L2") - 1] - '0');
    const TensorMap map = map_of(2, kExtents[rank - 1], kBoxes[rank - 1]);
    const bool policy = name.find("cache_hint") != name.npos;
    const Run got = run_box(name + " [%m, " + list_of(rank) + "]" + (policy ? ", %y;" : ";"), map,
                            std::vector<int>(rank, 0));
    CHECK(got.tensor == tensor_bytes(map));
  }
}

TEST_CASE("tensor maps that are none, of other axes, and misaligned tiles are told") {
  const std::string copy =
      kExpect +
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%f], [%m, {%c0, %c1}], "
      "[ready];" +
      kWait;
  const auto fault = [&](const std::string& body, const TensorMap& map) {
    try {
      run_box(body, map, {0, 0});
    } catch (const sim::exec::Fault& f) {
      return f.finding;
    }
    FAIL("nothing was told");
    return sim::Finding{};
  };
  TensorMap map = map_of(2, {24, 9}, {16, 4});
  const std::string none = "not one that cuTensorMapEncode…() has written";
  map.magic = 0;
  CHECK_THAT(sim::sentence(fault(copy, map)), ContainsSubstring(none));
  // Bytes that a program has made itself, whatever they say.
  for (const auto forge : std::initializer_list<void (*)(TensorMap&)>{
           [](TensorMap& m) { m.rank = 200; }, [](TensorMap& m) { m.element_bytes = 0; },
           [](TensorMap& m) { m.element_bytes = 3; }, [](TensorMap& m) { m.swizzle = 40; },
           [](TensorMap& m) { m.step[1] = 0; }, [](TensorMap& m) { m.box[1] = 60000; },
           [](TensorMap& m) { m.slice = 7; }, [](TensorMap& m) { m.im2col = 1; },
           [](TensorMap& m) { m.element = static_cast<sim::memory::TensorElement>(99); },
           [](TensorMap& m) { m.extent[0] = 0; }, [](TensorMap& m) { m.stride[0] = ~std::uint64_t{15}; }}) {
    TensorMap forged = map_of(2, {24, 9}, {16, 4});
    forge(forged);
    CHECK_FALSE(forged.possible());
  }
  CHECK_THAT(sim::sentence(fault(copy, map_of(2, {24, 5, 4}, {8, 3, 2}))),
             ContainsSubstring("of 2 axes, and its tensor map of 3"));
  const sim::Finding odd = fault("add.u32 %c0, %c0, 4;" + copy, map_of(2, {24, 9}, {16, 4}));
  CHECK(odd.kind == sim::FindingKind::misaligned);
  CHECK_THAT(sim::sentence(odd),
             ContainsSubstring("begins at element 4 of the first axis, which is 8 bytes"));
  TensorMap swizzled = map_of(2, {24, 9}, {16, 4});
  for (std::uint8_t swizzle = 0; swizzle < 4; ++swizzle) {
    swizzled.swizzle = swizzle;
    CHECK(fault("add.u32 %f, %f, 64;" + copy, swizzled).kind == sim::FindingKind::misaligned);
  }
  const std::string store = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {%c0, %c1}], [%f];";
  const sim::Finding before = fault("sub.u32 %c1, %c1, 1;" + store, map_of(2, {24, 9}, {16, 4}));
  CHECK(before.kind == sim::FindingKind::illegal_instruction);
  CHECK_THAT(sim::sentence(before), ContainsSubstring("from coordinate -1 of axis 1 on"));
  TensorMap whole = map_of(8, {24, 9}, {16, 4});
  whole.element = sim::memory::TensorElement::signed_bits;
  const std::string both =
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group [%m, {%c0, %c1}], [%f];";
  CHECK(fault(both, whole).kind == sim::FindingKind::illegal_instruction);
}
