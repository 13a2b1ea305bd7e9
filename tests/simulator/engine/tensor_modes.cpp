// Tensor maps of mode im2col, and those of interleaved layouts: against loops over their pixels.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/tensor_support.h"
#include "tests/simulator/truth/cases.h"

using Catch::Matchers::ContainsSubstring;
using sim::memory::TensorMap;
using namespace sim::test::tensor;

namespace {

/// Images {C, W, N}, {C, W, H, N} or {C, W, H, D, N} of 16-bit elements, with corners alike along all axes.
TensorMap images(const std::vector<unsigned>& extent, int lower, int upper, unsigned channels,
                 unsigned pixels) {
  std::vector<unsigned> box(extent.size(), 1);
  TensorMap map = map_of(2, extent, box);
  map.im2col = 1;
  map.box[0] = std::uint16_t(channels), map.box[1] = std::uint16_t(pixels);
  for (unsigned i = 0; i + 2 < map.rank; ++i)
    map.lower[i] = std::int16_t(lower), map.upper[i] = std::int16_t(upper);
  return map;
}

/// Calls @p act(first channel's place in the tensor or -1, number) for the pixels of a bounding box, in
/// order.
template <class Act>
void each_pixel(const TensorMap& map, std::vector<int> pixel, const std::vector<int>& offset, Act act) {
  for (unsigned number = 0; number < map.box[1]; ++number) {
    long place = pixel[0] * 2;
    bool inside = true;
    for (unsigned i = 1; i < map.rank; ++i) {
      const long x = pixel[i] + (i + 1 < map.rank ? offset[i - 1] : 0);
      inside = inside && x >= 0 && x < long(map.extent[i]);
      place += x * long(map.stride[i - 1]);
    }
    act(inside ? place : -1, number);
    for (unsigned i = 1; i < map.rank; ++i) {
      ++pixel[i];
      if (i + 1 == map.rank || pixel[i] <= int(map.extent[i]) - 1 + map.upper[i - 1]) break;
      pixel[i] = map.lower[i - 1];
    }
  }
}

const std::vector<std::vector<unsigned>> kImages = {{16, 10, 3}, {16, 7, 5, 3}, {16, 5, 4, 3, 2}};
const std::string kStored = " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";

std::string offsets_of(unsigned rank) { return rank == 3 ? "{1}" : rank == 4 ? "{1, 2}" : "{1, 2, 0}"; }

sim::Finding finding_of(const std::string& body, const TensorMap& map, const std::vector<int>& at) {
  try {
    run_box(body, map, at);
  } catch (const sim::exec::Fault& f) {
    return f.finding;
  }
  FAIL("nothing was told");
  return {};
}

}  // namespace

TEST_CASE("pixels of a bounding box are loaded for an element of the filter, and zeros outside the images") {
  for (const std::string& name : sim::truth::expand("cp.async.bulk.tensor(.3d,.4d,.5d)(.shared::cluster,."
                                                    "shared::cta).global.im2col.mbarrier::complete_tx::"
                                                    "bytes{.L2::cache_hint}")) {
    const unsigned rank = unsigned(name[name.find("d.shared") - 1] - '0');
    const bool policy = name.find("cache_hint") != name.npos;
    for (const auto& [lower, upper] : {std::pair{-1, -1}, {0, -2}, {1, 1}}) {
      INFO(name << " corners " << lower << " " << upper);
      const TensorMap map = images(kImages[rank - 3], lower, upper, 8, 24);
      std::vector<int> at(rank, lower);
      at[0] = 8, at[rank - 1] = 1;
      const Run got = run_box(kExpect + name + " [%f], [%m, " + list_of(rank) + "], [ready], " +
                                  offsets_of(rank) + (policy ? ", %y;" : ";") + kWait,
                              map, at);
      const auto tensor = tensor_bytes(map);
      each_pixel(map, at, {1, 2, 0}, [&](long place, unsigned number) {
        for (unsigned b = 0; b < 16; ++b)
          CHECK(got.tile[number * 16 + b] == (place < 0 ? 0 : tensor[std::size_t(place) + b]));
      });
    }
  }
}

TEST_CASE("pixels come to the blocks of a mask, and are fetched ahead") {
  const TensorMap map = images(kImages[0], -1, -1, 8, 12);
  for (const std::string& name :
       sim::truth::expand("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::"
                          "complete_tx::bytes.multicast::cluster{.L2::cache_hint}")) {
    const bool policy = name.find("cache_hint") != name.npos;
    const Run got = run_box(kExpect + "mov.b16 %h, 1;\n" + name + " [%f], [%m, " + list_of(3) +
                                "], [ready], {1}, %h" + (policy ? ", %y;" : ";") + kWait,
                            map, {8, -1, 0});
    CHECK(std::equal(got.tile.begin(), got.tile.begin() + 16, tensor_bytes(map).begin() + 16));
  }
  for (const std::string& name :
       sim::truth::expand("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col{.L2::cache_hint}")) {
    const bool policy = name.find("cache_hint") != name.npos;
    CHECK(
        run_box(name + " [%m, " + list_of(3) + "], {1}" + (policy ? ", %y;" : ";"), map, {0, 0, 0}).tensor ==
        tensor_bytes(map));
  }
}

TEST_CASE("pixels are stored, and added, where they lie inside the images") {
  for (const std::string& name : sim::truth::expand("cp(.async,.reduce.async).bulk.tensor(.3d,.4d,.5d)."
                                                    "global.shared::cta(,.add).im2col_no_offs.bulk_group"
                                                    "{.L2::cache_hint}")) {
    const bool reduces = name.find(".reduce") != name.npos;
    if (reduces != (name.find(".add") != name.npos)) continue;
    INFO(name);
    const unsigned rank = unsigned(name[name.find("d.global") - 1] - '0');
    TensorMap map = images(kImages[rank - 3], 0, 0, 8, 24);
    map.element = sim::memory::TensorElement::f16;
    if (reduces) map.element_bytes = 4, map.element = sim::memory::TensorElement::bits, map.box[0] = 4;
    std::vector<int> at(rank, 1);
    at[0] = reduces ? 4 : 8;
    const bool policy = name.find("cache_hint") != name.npos;
    const Run got =
        run_box(name + " [%m, " + list_of(rank) + "], [%f]" + (policy ? ", %y;" : ";") + kStored, map, at);
    auto want = tensor_bytes(map);
    at[0] = 8;
    each_pixel(map, at, {0, 0, 0}, [&](long place, unsigned number) {
      for (unsigned word = 0; place >= 0 && word < 4; ++word) {
        unsigned old = 0;
        unsigned char* const there = &want[std::size_t(place) + 4 * word];
        std::memcpy(&old, there, 4);
        const unsigned value = number * 4 + word + (reduces ? old : 0);
        std::memcpy(there, &value, 4);
      }
    });
    CHECK(got.tensor == want);
  }
}

TEST_CASE("copies that begin outside the bounding box, or of another mode than their map's, are told") {
  const std::string im2col = kExpect +
                             "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::"
                             "bytes [%f], [%m, {%c0, %c1, %c2}], [ready], {0};" +
                             kWait,
                    tiled =
                        kExpect +
                        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                        "[%f], [%m, {%c0, %c1, %c2}], [ready];" +
                        kWait;
  const TensorMap map = images(kImages[0], 0, -2, 8, 12);
  for (const int pixel : {-1, 8}) {
    const sim::Finding f = finding_of(im2col, map, {0, pixel, 0});
    CHECK(f.kind == sim::FindingKind::illegal_instruction);
    CHECK_THAT(sim::sentence(f), ContainsSubstring("the bounding box of its tensor map reaches from 0 to 7"));
  }
  CHECK_NOTHROW(run_box(im2col, map, {0, 7, 0}));
  CHECK_THAT(sim::sentence(finding_of(tiled, map, {0, 0, 0})),
             ContainsSubstring("its tensor map of mode im2col"));
  CHECK_THAT(sim::sentence(finding_of(im2col, map_of(2, {16, 10, 3}, {8, 2, 2}), {0, 0, 0})),
             ContainsSubstring("its tensor map is tiled"));
}

TEST_CASE(
    "of an interleaved layout the first axis counts slices of channels, and a box has one of the last but "
    "one") {
  for (const unsigned slice : {16u, 32u})
    for (const unsigned step : {1u, 2u})
      for (const int x : {-2, 1, 9}) {
        INFO(slice << " at " << x << " by " << step);
        // {W, H, slices, N}
        TensorMap map = map_of(slice, {12, 5, 3, 2}, {8, 3, 8, 2});
        map.slice = std::uint8_t(slice), map.element_bytes = 2, map.step[0] = std::uint8_t(step);
        const std::string copy =
            "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
        const auto tensor = tensor_bytes(map);
        const Run got =
            run_box(kExpect + copy + " [%f], [%m, " + list_of(4) + "], [ready];" + kWait, map, {x, 1, 2, 0});
        unsigned to = 0;
        for (unsigned n = 0; n < 2; ++n)
          for (unsigned y = 1; y < 4; ++y)
            for (int i = 0; i < 8 / int(step); ++i)
              for (unsigned b = 0; b < slice; ++b, ++to) {
                const int at = x + i * int(step);
                const std::size_t from = n * map.stride[2] + 2 * map.stride[1] + y * map.stride[0] + b;
                CHECK(got.tile[to] == (at < 0 || at >= 12 ? 0 : tensor[from + unsigned(at) * slice]));
              }
      }
}

TEST_CASE("rows of slices lie behind one another in shared memory, however narrow they are") {
  TensorMap map = map_of(16, {7, 5, 4}, {2, 2, 2});
  map.slice = 16, map.element_bytes = 8;
  const std::string load = kExpect +
                           "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::"
                           "bytes [%f], [%m, {%c0, %c1, %c2}], [ready];" +
                           kWait;
  const Run plain = run_box(load, map, {1, 2, 1});
  for (const unsigned swizzle : {1u, 2u, 3u}) {
    map.swizzle = std::uint8_t(swizzle);
    CHECK(run_box(load, map, {1, 2, 1}).tile == plain.tile);
  }
}

TEST_CASE("pixels of an interleaved layout are its first axes, and the last but one says of which slice") {
  // {W, H, slices, N}
  TensorMap map = map_of(16, {5, 4, 3, 2}, {1, 1, 1, 1});
  map.slice = 16, map.element_bytes = 8, map.im2col = 1;
  map.box[0] = 2, map.box[1] = 24;
  for (unsigned i = 0; i < 2; ++i) map.lower[i] = map.upper[i] = -1;
  const std::string load = kExpect +
                           "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::"
                           "bytes [%f], [%m, {%c0, %c1, %c2, %c3}], [ready], {1, 2};" +
                           kWait;
  const Run got = run_box(load, map, {2, -1, 1, 0});
  const auto tensor = tensor_bytes(map);
  unsigned to = 0;
  for (int x = 2, y = -1, n = 0; to < 24 * 16; x == 3 ? (x = -1, y == 2 ? (y = -1, ++n) : ++y) : ++x)
    for (unsigned b = 0; b < 16; ++b, ++to) {
      const int w = x + 1, h = y + 2;
      const bool inside = w >= 0 && w < 5 && h >= 0 && h < 4 && n < 2;
      const std::size_t from = std::size_t(n) * map.stride[2] + map.stride[1] +
                               std::size_t(inside ? h : 0) * map.stride[0] +
                               16 * std::size_t(inside ? w : 0) + b;
      CHECK(got.tile[to] == (inside ? tensor[from] : 0));
    }
  CHECK_THAT(sim::sentence(finding_of(load, map, {4, 0, 0, 0})), ContainsSubstring("reaches from -1 to 3"));
  const std::string store =
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%m, {%c0, %c1, %c2, %c3}], "
      "[%f];" +
      kStored;
  CHECK(finding_of(store, map, {0, 0, 0, 0}).kind == sim::FindingKind::unsupported);
}

TEST_CASE("what is not known of interleaved layouts is refused, and pixels stored beside an image are told") {
  TensorMap map = map_of(16, {12, 5, 3}, {8, 16, 2});
  map.slice = 16, map.element_bytes = 2;
  const std::string load = kExpect +
                           "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::"
                           "bytes [%f], [%m, {%c0, %c1, %c2}], [ready];" +
                           kWait;
  CHECK(finding_of(load, map, {0, 0, 0}).kind == sim::FindingKind::unsupported);
  const std::string store =
      "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%m, {%c0, %c1, "
      "%c2}], [%f];" +
      kStored;
  CHECK_THAT(sim::sentence(finding_of(store, images(kImages[0], 0, 1, 8, 12), {0, 0, 0})),
             ContainsSubstring("lies beside its image"));
  CHECK_NOTHROW(run_box(store, images(kImages[0], 0, 0, 8, 12), {0, 5, 2}));
}
