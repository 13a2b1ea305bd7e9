// A tile of shared memory as it lies in the banks.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "simulator/lens/page.h"
#include "simulator/lens/tile.h"
#include "simulator/report/json.h"

using namespace sim;
using namespace sim::lens;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Halves, in rows of as many bytes as the swizzle spans; 128 without one.
TileRecord halves(std::uint32_t swizzle, std::uint32_t rows = 64) {
  const std::uint32_t row = swizzle == 0 ? 128 : swizzle;
  return {.file = "tile.cu",
          .line = 12,
          .name = "tile",
          .element_bytes = 2,
          .columns = row / 2,
          .rows = rows,
          .pitch = row,
          .swizzle = swizzle};
}

}  // namespace

TEST_CASE("without a swizzle the pieces of a column lie below each other, and take eight passes") {
  const auto lines = lines_of(halves(0));
  REQUIRE(lines.size() == 8);
  for (int row = 0; row < 8; ++row)
    for (int piece = 0; piece < 8; ++piece) {
      CHECK(lines[std::size_t(row)][std::size_t(piece)].row == row);
      CHECK(lines[std::size_t(row)][std::size_t(piece)].column == 8 * piece);
    }
  CHECK(passes_down(halves(0)) == 8);
}

TEST_CASE("a swizzle of 128 bytes deals the pieces of a column out to all banks") {
  const auto lines = lines_of(halves(128));
  REQUIRE(lines.size() == 8);
  for (int row = 0; row < 8; ++row)  // the line's number is combined with the piece's
    for (int place = 0; place < 8; ++place)
      CHECK(lines[std::size_t(row)][std::size_t(place)].column == 8 * (place ^ row));
  CHECK(passes_down(halves(128)) == 1);
}

TEST_CASE("narrower swizzles have several rows in a line, and spread a column over all banks, too") {
  for (const std::uint32_t swizzle : {32u, 64u}) {
    const auto lines = lines_of(halves(swizzle));
    std::set<int> rows;
    for (const TilePiece& piece : lines[0]) rows.insert(piece.row);
    CHECK(rows.size() == 128 / swizzle);
    CHECK(passes_down(halves(swizzle)) == 1);
  }
}

TEST_CASE("a small tile has as many lines as it takes, with room behind it") {
  const auto lines = lines_of(halves(64, 3));
  REQUIRE(lines.size() == 2);
  CHECK(lines[1][4].row == -1);
  CHECK(passes_in_words(halves(64, 3)).empty());
}

TEST_CASE("a tile that begins between two turns of the pattern is swizzled by its address") {
  TileRecord tile = halves(128);
  tile.offset = 256;
  const auto lines = lines_of(tile);
  CHECK(lines[0][2].row == 0);
  CHECK(lines[0][2].column == 0);
}

TEST_CASE("the terminal and the page show the tile, its swizzle and what it is good for") {
  const auto text = tile_text(halves(128), {.colour = false, .unicode = true});
  for (const std::string& line : text) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
  CHECK_THAT(text.front(),
             ContainsSubstring("64 rows of 64 elements of 2 bytes in tile, swizzle of 128 bytes"));
  CHECK_THAT(text.back(), ContainsSubstring("1 pass over the banks; without the swizzle 8."));
  KernelRecord kernel;
  kernel.name = "k";
  kernel.tiles = {halves(128)};
  CHECK_THAT(page_of("t", {kernel}, {}), ContainsSubstring("Tile of line 12") && ContainsSubstring(">1:8<"));
  CHECK(nlohmann::json(kernel).get<KernelRecord>().tiles == kernel.tiles);
}

TEST_CASE("a tile of impossible numbers is drawn all the same") {
  TileRecord tile;
  tile.rows = tile.columns = tile.pitch = tile.element_bytes = ~0u;
  tile.swizzle = 48;
  CHECK_NOTHROW(tile_svg(tile));
}
