// The fat binary reader against fat binaries made here, whole and damaged.
#include <lz4.h>
#include <zstd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>

#include "simulator/fatbin/fatbin.h"

using namespace sim::fatbin;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

const std::string kText =
    ".version 9.0\n.target sm_75\n.address_size 64\n" + std::string(500, ' ') + "// end\n";

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string packed(const std::string& text, Packing packing) {
  if (packing == Packing::none) return text + '\0';
  std::string out(ZSTD_compressBound(text.size()) + LZ4_compressBound(int(text.size())), '\0');
  out.resize(packing == Packing::zstd
                 ? ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3)
                 : LZ4_compress_default(text.data(), out.data(), int(text.size()), int(out.size())));
  return out;
}

std::string entry(Kind kind, int architecture, Packing packing, const std::string& text = kText) {
  std::string payload = packed(text, packing);
  const std::size_t size = payload.size();
  payload.resize((size + 7) / 8 * 8);
  std::string bytes(80, '\0');
  put<std::uint16_t>(bytes, 0, static_cast<std::uint16_t>(kind));
  put<std::uint32_t>(bytes, 4, 80);
  put<std::uint64_t>(bytes, 8, payload.size());
  if (packing != Packing::none) put<std::uint32_t>(bytes, 16, static_cast<std::uint32_t>(size));
  put<std::uint16_t>(bytes, 26, 9);
  put<std::uint32_t>(bytes, 28, static_cast<std::uint32_t>(architecture));
  put<std::uint64_t>(bytes, 40, packing == Packing::zstd ? 0x8011 : packing == Packing::lz4 ? 0x2011 : 0x11);
  if (packing != Packing::none) put<std::uint64_t>(bytes, 56, text.size());
  return bytes + payload;
}

std::string binary(const std::string& entries) {
  std::string bytes(16, '\0');
  put<std::uint32_t>(bytes, 0, 0xBA55ED50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, entries.size());
  return bytes + entries;
}

std::span<const std::byte> span(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

}  // namespace

TEST_CASE("PTX is read plain, zstd-compressed and LZ4-compressed") {
  for (const Packing packing : {Packing::none, Packing::zstd, Packing::lz4}) {
    const std::string bytes = binary(entry(Kind::ptx, 75, packing));
    CHECK(best_ptx(span(bytes), 90) == kText);
  }
}

TEST_CASE("of several PTX entries the highest that the device can run is taken") {
  const std::string bytes =
      binary(entry(Kind::elf, 80, Packing::none) + entry(Kind::ptx, 75, Packing::none, "old") +
             entry(Kind::ptx, 80, Packing::zstd, "right") + entry(Kind::ptx, 100, Packing::none, "new"));
  CHECK(entries(span(bytes)).size() == 4);
  CHECK(best_ptx(span(bytes), 90) == "right");
  CHECK(best_ptx(span(bytes), 75) == "old");
  CHECK(best_ptx(span(bytes), 120) == "new");
}

TEST_CASE("PTX for one architecture alone is taken there, before the general one, and nowhere else") {
  std::string specific = entry(Kind::ptx, 90, Packing::none, "specific");
  put<std::uint64_t>(specific, 40, 0x100011);
  const std::string bytes = binary(specific + entry(Kind::ptx, 90, Packing::none, "general") +
                                   entry(Kind::ptx, 80, Packing::none, "old"));
  CHECK(best_ptx(span(bytes), 90) == "specific");
  CHECK(best_ptx(span(bytes), 100) == "general");
  CHECK(best_ptx(span(bytes), 80) == "old");
  CHECK_THROWS_WITH(best_ptx(span(binary(specific)), 100), ContainsSubstring("compute_90a"));
}

TEST_CASE("a binary without usable PTX says how to build one") {
  const std::string machine_code = binary(entry(Kind::elf, 80, Packing::none));
  CHECK_THROWS_MATCHES(best_ptx(span(machine_code), 90), Error,
                       MessageMatches(ContainsSubstring("built without PTX") && ContainsSubstring("sm_80")));
  const std::string newer = binary(entry(Kind::ptx, 100, Packing::none));
  CHECK_THROWS_MATCHES(best_ptx(span(newer), 90), Error, MessageMatches(ContainsSubstring("compute_100")));
}

TEST_CASE("an entry that claims to be much larger than its data is refused") {
  for (const Packing packing : {Packing::zstd, Packing::lz4}) {
    for (const std::uint64_t claim : {std::uint64_t{200} << 20, std::uint64_t{1} << 40}) {
      std::string bytes = binary(entry(Kind::ptx, 75, packing));
      put<std::uint64_t>(bytes, 16 + 56, claim);
      CHECK_THROWS_AS(best_ptx(span(bytes), 90), Error);
    }
  }
}

TEST_CASE("text that compresses a thousandfold is unpacked whole") {
  const std::string text(40'000'000, 'x');
  const std::string bytes = binary(entry(Kind::ptx, 75, Packing::zstd, text));
  CHECK(best_ptx(span(bytes), 90) == text);
}

TEST_CASE("a fat binary that claims to reach beyond its loaded object is refused") {
  static std::string_view constant_in_this_program = "\x50\xed\x55\xba\x01\0\x10\0\0\0\0\0\0\1\0\0";
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = constant_in_this_program.data();
    const void* extra = nullptr;
  } wrapper;
  CHECK_THROWS_MATCHES(from_wrapper(&wrapper), Error, MessageMatches(ContainsSubstring("cut short")));
}

TEST_CASE("the wrapper leads to the binary") {
  const std::string bytes = binary(entry(Kind::ptx, 75, Packing::none));
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data;
    const void* extra = nullptr;
  } wrapper{.data = bytes.data()};
  CHECK(from_wrapper(&wrapper).size() == bytes.size());
  wrapper.magic = 1;
  CHECK_THROWS_AS(from_wrapper(&wrapper), Error);
}

TEST_CASE("a fat binary cut short at any byte is refused, never read past its end") {
  const std::string bytes = binary(entry(Kind::ptx, 75, Packing::zstd) + entry(Kind::ptx, 80, Packing::lz4));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::string part = bytes.substr(0, n);
    CHECK_THROWS_AS(best_ptx(span(part), 90), Error);
  }
}

TEST_CASE("a fat binary with any one byte damaged gives text or an error") {
  const std::string bytes = binary(entry(Kind::ptx, 75, Packing::zstd) + entry(Kind::ptx, 80, Packing::lz4));
  int refused = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string damaged = bytes;
    damaged[n] = static_cast<char>(damaged[n] ^ 0xFF);
    try {
      best_ptx(span(damaged), 90);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 20);
}
