#include "simulator/lens/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulator/lens/markup.h"
#include "simulator/memory/tensor_map.h"

namespace sim::lens {
namespace {

constexpr std::uint32_t kPiece = 16, kLine = 128;
constexpr int kRowsDown = 8;  // of a matrix of ldmatrix, and of a core matrix of wgmma

/// Where a piece of a row lies, from the multiple of kPeriod in front of the tile. JSON may hold any numbers.
std::uint64_t place_of(const TileRecord& tile, std::uint32_t row, std::uint32_t piece) {
  const std::uint64_t straight =
      tile.offset + std::uint64_t{row} * tile.pitch + std::uint64_t{piece} * kPiece;
  const std::uint32_t spans = tile.swizzle / kPiece;
  return spans <= 1 ? straight : memory::swizzled(straight, unsigned(std::countr_zero(spans)));
}

std::uint32_t pieces_of_row(const TileRecord& tile) {
  return std::min<std::uint32_t>(64, (tile.columns * tile.element_bytes + kPiece - 1) / kPiece);
}

int elements_of_piece(const TileRecord& tile) {
  return tile.element_bytes == 0 ? 1 : int(std::max(1u, kPiece / tile.element_bytes));
}

}  // namespace

std::vector<TileLine> lines_of(const TileRecord& tile) {
  std::vector<TileLine> lines(TileRecord::kPeriod / kLine);
  const std::uint64_t first = tile.offset / kLine * kLine;
  const std::uint32_t rows = std::min(tile.rows, TileRecord::kPeriod);
  std::size_t used = 0;
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t piece = 0; piece < pieces_of_row(tile); ++piece) {
      const std::uint64_t at = place_of(tile, row, piece);
      if (at < first || (at - first) / kLine >= lines.size()) continue;
      const auto line = std::size_t((at - first) / kLine);
      lines[line][at % kLine / kPiece] = {int(row), int(piece) * elements_of_piece(tile)};
      used = std::max(used, line + 1);
    }
  lines.resize(used);
  return lines;
}

int passes_down(const TileRecord& tile) {
  std::array<int, kLine / kPiece> uses{};
  for (int row = 0; row < std::min<int>(kRowsDown, int(std::min(tile.rows, 8u))); ++row)
    ++uses[place_of(tile, std::uint32_t(row), 0) % kLine / kPiece];
  return *std::max_element(uses.begin(), uses.end());
}

std::string tile_in_words(const TileRecord& tile) {
  return fmt::format("{} rows of {} elements of {} byte{}{}, {}", tile.rows, tile.columns, tile.element_bytes,
                     tile.element_bytes == 1 ? "" : "s", tile.name.empty() ? "" : " in " + tile.name,
                     tile.swizzle == 0 ? "no swizzle" : fmt::format("swizzle of {} bytes", tile.swizzle));
}

std::string passes_in_words(const TileRecord& tile) {
  if (tile.rows < kRowsDown) return {};
  TileRecord plain = tile;
  plain.swizzle = 0;
  const int passes = passes_down(tile), without = passes_down(plain);
  std::string text =
      fmt::format("Eight rows' first 16 bytes: {} pass{} over the banks", passes, passes == 1 ? "" : "es");
  if (tile.swizzle != 0) text += fmt::format("; without the swizzle {}", without);
  return text + ".";
}

std::vector<std::string> tile_text(const TileRecord& tile, const TextStyle& style) {
  std::vector<std::string> text;
  text.push_back(fmt::format("  Line {}: {}", tile.line, tile_in_words(tile)));
  std::string banks = fmt::format("  {:>9}", "banks");
  for (std::uint32_t i = 0; i < kLine / kPiece; ++i)
    banks += fmt::format(" {:>7}", fmt::format("{}-{}", 4 * i, 4 * i + 3));
  text.push_back(banks);
  const std::vector<TileLine> lines = lines_of(tile);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string row = fmt::format("  {:>9}", fmt::format("+{}", i * kLine));
    for (const TilePiece& piece : lines[i]) {
      const std::string cell =
          piece.row < 0 ? (style.unicode ? "·" : ".") : fmt::format("{}:{}", piece.row, piece.column);
      const std::string padded = fmt::format(" {:>7}", cell);
      // The pieces of one column of the tile, so that the eye can follow where they go.
      row += style.colour && piece.row >= 0 && piece.column == 0 ? "\033[35m" + padded + "\033[0m" : padded;
    }
    text.push_back(row);
  }
  if (const std::string passes = passes_in_words(tile); !passes.empty()) text.push_back("  " + passes);
  return text;
}

std::string tile_svg(const TileRecord& tile) {
  constexpr int kLeft = 60, kWidth = 62, kHeight = 18, kTop = 16;
  const std::vector<TileLine> lines = lines_of(tile);
  std::string inner;
  const auto text = [&](const char* kind, int x, int y, const std::string& what) {
    inner += fmt::format(R"(<text{} x="{}" y="{}">{}</text>)", kind, x, y, escaped(what));
  };
  for (int i = 0; i < int(kLine / kPiece); ++i)
    text("", kLeft + i * kWidth, 11, fmt::format("{}{}-{}", i == 0 ? "banks " : "", 4 * i, 4 * i + 3));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int y = kTop + int(i) * kHeight;
    text(" class=\"label\"", kLeft - 6, y + 13, fmt::format("+{}", i * kLine));
    for (std::size_t p = 0; p < lines[i].size(); ++p) {
      const TilePiece& piece = lines[i][p];
      const char* const kind = piece.row < 0 ? "untouched" : piece.column == 0 ? "several" : "used";
      const int x = kLeft + int(p) * kWidth;
      inner += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>)", kind, x, y,
                           kWidth - 2, kHeight - 2);
      if (piece.row >= 0)
        text(" class=\"letter\"", x + kWidth / 2, y + 12, fmt::format("{}:{}", piece.row, piece.column));
    }
  }
  const int width = kLeft + 8 * kWidth + 4, height = kTop + int(lines.size()) * kHeight + 2;
  return fmt::format(
      R"(<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>)", width,
      height, escaped(tile_in_words(tile)), inner);
}

}  // namespace sim::lens
