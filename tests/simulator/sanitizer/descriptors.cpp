// Factors of wgmma held against the boxes that tensor maps wrote.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/sanitizer/descriptors/box_layout.h"
#include "simulator/sanitizer/descriptors/descriptor_findings.h"

using sim::sanitizer::BoxLayout;
using sim::sanitizer::BoxPlace;
using sim::sanitizer::Mismatch;
using sim::sanitizer::Piece;
using sim::sanitizer::pieces_of;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

/// A box of rows of a matrix whose rows are twice as wide.
BoxLayout box_of(u32 offset, unsigned element_bytes, unsigned rows, unsigned columns, unsigned swizzle_mode) {
  BoxLayout box;
  box.offset = offset;
  box.map.rank = 2;
  box.map.element_bytes = std::uint8_t(element_bytes);
  box.map.swizzle = std::uint8_t(swizzle_mode);
  box.map.box[0] = std::uint16_t(columns), box.map.box[1] = std::uint16_t(rows);
  box.map.step[0] = box.map.step[1] = 1;
  box.map.extent[0] = 2 * columns, box.map.extent[1] = rows;
  box.map.stride[0] = u64(2) * columns * element_bytes;
  box.map.address = 4096;
  return box;
}

/// @param swizzle,leading,stride  bytes
u64 descriptor(u32 start, u32 swizzle, u32 leading, u32 stride, u32 base_offset = 0) {
  const u64 mode = swizzle == 0 ? 0 : swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  return u64(start >> 4) | u64(leading >> 4) << 16 | u64(stride >> 4) << 32 | u64(base_offset) << 49 |
         mode << 62;
}

sim::exec::ProductFactor factor(u64 descriptor, u32 rows, u32 step_bytes, bool across = false) {
  return {.descriptor = descriptor,
          .rows = rows,
          .steps = across ? 16 : 32 / step_bytes,
          .step_bytes = step_bytes,
          .across = across,
          .right = false};
}

std::optional<Mismatch> mismatch(const sim::exec::ProductFactor& f, const std::vector<BoxLayout>& boxes,
                                 bool repeats_rows = false) {
  std::vector<Piece> pieces = pieces_of(f);
  find_boxes(pieces, boxes);
  return mismatch_in(pieces, boxes, repeats_rows);
}

bool fitting(const sim::exec::ProductFactor& f, const std::vector<BoxLayout>& boxes) {
  std::vector<Piece> pieces = pieces_of(f);
  find_boxes(pieces, boxes);
  return fits(pieces, boxes);
}

void check_mismatch(const sim::exec::ProductFactor& f, const BoxLayout& box, Mismatch::Kind kind, u32 row,
                    u32 k, const BoxPlace& taken, const BoxPlace& meant) {
  const auto found = mismatch(f, {box});
  REQUIRE(found);
  CHECK(found->kind == kind);
  CHECK(found->piece.row == row);
  CHECK(found->piece.k == k);
  CHECK(found->piece.place == taken);
  CHECK(found->meant == meant);
}

std::string cure(const sim::exec::ProductFactor& f, const std::vector<BoxLayout>& boxes) {
  return to_string(cure_of_mismatch(f, boxes, 0));
}

}  // namespace

TEST_CASE("every piece of a box is found where the copy put it") {
  for (unsigned mode = 0; mode < 4; ++mode)
    for (const u32 offset : {0u, 128u, 1024u, 1408u}) {
      const unsigned span = mode == 0 ? 96 : 16u << mode;
      for (const u32 bytes : {16u, span}) {
        const BoxLayout box = box_of(offset, 2, 24, bytes / 2, mode);
        for (u32 row = 0; row < 24; ++row)
          for (u32 byte = 0; byte < bytes; byte += 16) {
            const u64 at = sim::memory::swizzled(offset + row * box.map.pitch() + byte, mode);
            REQUIRE(box.holds(u32(at)));
            CHECK(box.place_at(u32(at)) == BoxPlace{int(byte), int(row)});
          }
      }
    }
  const BoxLayout narrow = box_of(0, 2, 8, 8, 3);  // rows of 16 bytes, each with a span of 128
  CHECK_FALSE(narrow.place_at(16));
  CHECK_FALSE(narrow.holds(8 * 128));
}

TEST_CASE("descriptors that go with the map fit, for elements of all sizes and at every step") {
  for (const u32 element : {1u, 2u, 4u})
    for (unsigned mode = 1; mode < 4; ++mode) {
      const u32 span = 16u << mode;
      const BoxLayout box = box_of(1024, element, 128, span / element, mode);
      for (u32 first = 0; first < span; first += 32)
        for (const u32 row : {0u, 64u, 3u}) {
          const auto f = factor(descriptor(1024 + row * span + first, span, 16, 8 * span), 64, element);
          CHECK_FALSE(mismatch(f, {box}));
          CHECK(fitting(f, {box}));
        }
    }
  for (unsigned mode = 1; mode < 4; ++mode) {
    const u32 span = 16u << mode;
    std::vector<BoxLayout> boxes;  // 64 columns of rows
    for (u32 i = 0; i < 128 / span; ++i) boxes.push_back(box_of(1024 + i * 32 * span, 2, 32, span / 2, mode));
    for (const u32 step : {0u, 16u}) {
      const auto f = factor(descriptor(1024 + step * span, span, 32 * span, 8 * span), 64, 2, true);
      CHECK_FALSE(mismatch(f, boxes));
      CHECK(fitting(f, boxes));
    }
  }
}

TEST_CASE("the first element that is read in another place is told with both, and which field to change") {
  const BoxLayout box = box_of(1024, 2, 64, 64, 3);
  using Kind = Mismatch::Kind;
  const auto none = factor(descriptor(1024, 0, 16, 1024), 64, 2);
  check_mismatch(none, box, Kind::scattered, 1, 0, {16, 0}, {0, 1});
  CHECK(cure(none, {box}).find("a descriptor with a swizzle of 128 bytes:") == 0);
  const auto narrow = factor(descriptor(1024, 64, 16, 512), 64, 2);
  check_mismatch(narrow, box, Kind::scattered, 1, 0, {64, 0}, {0, 1});
  CHECK(cure(narrow, {box}).find("a swizzle of 128 bytes and a stride offset of 1024 bytes:") !=
        std::string::npos);
  const auto half = factor(descriptor(1024, 128, 16, 512), 64, 2);
  check_mismatch(half, box, Kind::repeated, 8, 0, {0, 4}, {0, 8});
  CHECK(cure(half, {box}).find("a descriptor with a stride offset of 1024 bytes:") == 0);
  const auto based = factor(descriptor(1024, 128, 16, 1024, 3), 64, 2);
  check_mismatch(based, box, Kind::scattered, 0, 0, {80, 0}, {0, 0});
  CHECK(cure(based, {box}).find("a descriptor with a base offset of 0:") == 0);
  // Half of the step is behind the end of the row.
  check_mismatch(factor(descriptor(1024 + 112, 128, 16, 1024), 64, 2), box, Kind::scattered, 0, 8, {0, 1},
                 {128, 0});
  // No descriptor reads rows of 128 bytes that are not swizzled.
  const BoxLayout plain = box_of(1024, 2, 64, 64, 0);
  const auto swizzled = factor(descriptor(1024, 128, 16, 1024), 64, 2);
  CHECK(mismatch(swizzled, {plain}));
  CHECK(cure(swizzled, {plain}).find("a tensor map with a swizzle of 128 bytes:") == 0);
}

TEST_CASE("the leading offset of a transposed factor goes to the next box") {
  const std::vector<BoxLayout> boxes{box_of(0, 2, 16, 32, 2), box_of(1024, 2, 16, 32, 2)};
  CHECK_FALSE(mismatch(factor(descriptor(0, 64, 1024, 512), 64, 2, true), boxes));
  const auto half = factor(descriptor(0, 64, 512, 512), 64, 2, true);
  const auto found = mismatch(half, boxes);
  REQUIRE(found);
  CHECK(found->piece.row == 32);
  CHECK(found->piece.k == 0);
  CHECK(found->piece.place == BoxPlace{0, 8});
  CHECK(cure(half, boxes).find("a descriptor with a leading offset of 1024 bytes:") == 0);
  const auto forgotten = factor(descriptor(0, 64, 0, 512), 64, 2, true);
  CHECK(mismatch(forgotten, boxes));
  CHECK(cure(forgotten, boxes).find("a descriptor with a leading offset of 1024 bytes:") == 0);
}

TEST_CASE("of packed matrices the axes of a box say nothing") {
  BoxLayout box = box_of(0, 2, 16, 64, 0);
  const auto f = factor(descriptor(0, 0, 1024, 128), 64, 2);
  CHECK(mismatch(f, {box}));
  box.map.extent[0] = 64, box.map.stride[0] = 128;
  CHECK(box.opaque());
  CHECK_FALSE(mismatch(f, {box}));
  box.map.swizzle = 3;
  CHECK_FALSE(box.opaque());
}

TEST_CASE("rows may have any order, and all be the same eight; k has to go on") {
  const BoxLayout box = box_of(0, 2, 128, 64, 3);
  CHECK_FALSE(mismatch(factor(descriptor(0, 128, 16, 2048), 64, 2), {box}));  // every other eight
  const auto same = factor(descriptor(0, 128, 16, 0), 64, 2);
  CHECK(mismatch(same, {box}));
  CHECK_FALSE(mismatch(same, {box}, true));
  // Both halves of a step are one.
  BoxLayout core = box_of(0, 2, 64, 8, 0);
  core.map.rank = 3;
  core.map.box[2] = 2, core.map.step[2] = 1, core.map.extent[2] = 4, core.map.stride[1] = 16;
  CHECK_FALSE(mismatch(factor(descriptor(0, 0, 1024, 128), 64, 2), {core}));
  CHECK(mismatch(factor(descriptor(0, 0, 0, 128), 64, 2), {core}, true));
}

TEST_CASE("the order along k is counted in elements of the tensor") {
  const BoxLayout box = box_of(0, 2, 64, 64, 3);
  const auto order = [&](const sim::exec::ProductFactor& f) {
    std::vector<Piece> pieces = pieces_of(f);
    find_boxes(pieces, std::vector{box});
    return order_along_k(pieces, std::vector{box}, f);
  };
  const auto rows = order(factor(descriptor(32, 128, 16, 1024), 64, 2));
  REQUIRE(rows.size() == 16);
  for (std::size_t k = 0; k < 16; ++k) CHECK(rows[k] == std::int64_t(k));
  CHECK(order(factor(descriptor(0, 128, 16, 1024), 64, 2, true)) == rows);
  const auto gap = order(factor(descriptor(0, 128, 16, 2048), 64, 2, true));
  REQUIRE(gap.size() == 16);
  CHECK(gap[7] == 7);
  CHECK(gap[8] == 16);
  // All rows begin in the middle of the box's: as long as one factor does so alone, that is another k.
  const auto turned = order(factor(descriptor(0, 128, 16, 1024, 4), 64, 2));
  REQUIRE(turned.size() == 16);
  CHECK(turned[0] == 32);
}
