#include "simulator/fatbin/fatbin.h"

#include <fmt/format.h>
#include <link.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifdef LADDER_HAS_LZ4
#include <lz4.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>

namespace sim::fatbin {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kBinaryMagic = 0xBA55ED50;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagSpecific = 0x100000;
constexpr std::uint64_t kMaxText = std::uint64_t{1} << 28;
constexpr std::size_t kEntryFields = 64;  ///< bytes of an entry's header that hold what is read here

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* data;
  const void* extra;
};

struct BinaryHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t body_bytes;
};

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The header and what follows it, when @p bytes begin a fat binary. @param limit bytes that may be read
std::size_t total_bytes(const std::byte* bytes, std::size_t limit) {
  if (limit < sizeof(BinaryHeader)) throw Error("the fat binary is cut short");
  BinaryHeader header;
  std::memcpy(&header, bytes, sizeof header);
  if (header.magic != kBinaryMagic) throw Error("this is not a fat binary: its magic number is wrong");
  if (header.header_bytes < sizeof header || header.header_bytes > limit ||
      header.body_bytes > limit - header.header_bytes) {
    throw Error("the fat binary is cut short");
  }
  return header.header_bytes + header.body_bytes;
}

/// @param rest what follows in the fat binary, from this entry's header on
/// @param[out] used bytes that header and payload take
Entry entry_at(std::span<const std::byte> rest, std::uint64_t& used) {
  if (rest.size() < kEntryFields) throw Error("an entry of the fat binary is cut short");
  const auto header_bytes = read_at<std::uint32_t>(rest, 4);
  const auto payload_bytes = read_at<std::uint64_t>(rest, 8);
  if (header_bytes < kEntryFields || header_bytes > rest.size() ||
      payload_bytes > rest.size() - header_bytes) {
    throw Error("an entry of the fat binary is cut short");
  }
  used = header_bytes + payload_bytes;
  Entry entry;
  entry.kind = static_cast<Kind>(read_at<std::uint16_t>(rest, 0));
  entry.version_minor = read_at<std::uint16_t>(rest, 24);
  entry.version_major = read_at<std::uint16_t>(rest, 26);
  entry.architecture = static_cast<int>(read_at<std::uint32_t>(rest, 28));
  const auto flags = read_at<std::uint64_t>(rest, 40);
  entry.specific = (flags & kFlagSpecific) != 0;
  entry.packing = flags & kFlagZstd ? Packing::zstd : flags & kFlagLz4 ? Packing::lz4 : Packing::none;
  entry.payload = rest.subspan(header_bytes, payload_bytes);
  entry.unpacked_bytes = payload_bytes;
  if (entry.packing != Packing::none) {
    // The payload is padded to 8 bytes; the packed data is shorter.
    const auto packed = read_at<std::uint32_t>(rest, 16);
    if (packed > payload_bytes) throw Error("an entry of the fat binary is cut short");
    entry.payload = entry.payload.first(packed);
    entry.unpacked_bytes = read_at<std::uint64_t>(rest, 56);
  }
  return entry;
}

std::string architectures(const std::vector<Entry>& list, Kind kind) {
  std::string names;
  for (const Entry& entry : list) {
    if (entry.kind != kind) continue;
    names += fmt::format("{}{}_{}{}", names.empty() ? "" : ", ", kind == Kind::ptx ? "compute" : "sm",
                         entry.architecture, entry.specific ? "a" : "");
  }
  return names;
}

/// Bytes from @p address to the end of the loaded object's segment that holds it; no bound when none does.
std::size_t loaded_bytes_from(const void* address) {
  struct Search {
    std::uintptr_t address;
    std::size_t left = std::numeric_limits<std::size_t>::max();
  } search{reinterpret_cast<std::uintptr_t>(address)};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || wanted.address - begin >= segment.p_memsz) continue;
      wanted.left = segment.p_memsz - (wanted.address - begin);
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.left;
}

[[noreturn]] void corrupt() { throw Error("the compressed PTX of the fat binary is corrupt"); }

/// The unpacked size that an entry states is checked against what its data unpack to.
std::string unpack_zstd(std::span<const std::byte> packed, std::size_t claimed) {
  constexpr std::size_t kMostPerByte = std::size_t{1} << 15;  // a block of 128 KiB in four bytes
  if (claimed / kMostPerByte > packed.size()) corrupt();
  std::string text(std::min(claimed, 16 * packed.size() + (std::size_t{1} << 18)), '\0');
  for (;;) {
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (got == claimed) return text;
    const bool too_small = ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_dstSize_tooSmall;
    if (!too_small || text.size() == claimed) corrupt();
    text.resize(std::min(claimed, 2 * text.size()));
  }
}

std::string unpack_lz4([[maybe_unused]] std::span<const std::byte> packed,
                       [[maybe_unused]] std::size_t claimed) {
#ifdef LADDER_HAS_LZ4
  constexpr std::size_t kMostPerByte = 255;  // a run's length grows by that much with every byte
  if (packed.size() > kMaxText || claimed > kMostPerByte * packed.size()) corrupt();
  std::string text(claimed, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(),
                                      static_cast<int>(packed.size()), static_cast<int>(text.size()));
  if (got < 0 || static_cast<std::size_t>(got) != claimed) corrupt();
  return text;
#else
  throw Error(
      "the PTX is compressed with LZ4, and this simulator was built without it: compile without "
      "--compress-mode=speed");
#endif
}

}  // namespace

std::span<const std::byte> bytes_at(const void* binary) {
  const auto* data = static_cast<const std::byte*>(binary);
  return {data, total_bytes(data, loaded_bytes_from(data))};
}

std::span<const std::byte> from_wrapper(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  if (head.magic != kWrapperMagic || !head.data)
    throw Error("this is not a fat binary: its wrapper is unknown");
  return bytes_at(head.data);
}

std::vector<Entry> entries(std::span<const std::byte> binary) {
  const std::size_t total = total_bytes(binary.data(), binary.size());
  std::vector<Entry> list;
  std::size_t at = read_at<std::uint16_t>(binary, 6);
  while (at < total) {
    std::uint64_t used = 0;
    list.push_back(entry_at(binary.subspan(at, total - at), used));
    at += used;
  }
  return list;
}

std::string unpack(const Entry& entry) {
  if (entry.unpacked_bytes > kMaxText)
    throw Error("an entry of the fat binary claims to be larger than 256 MiB");
  std::string text;
  if (entry.packing == Packing::none) {
    text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  } else {
    text = entry.packing == Packing::zstd ? unpack_zstd(entry.payload, entry.unpacked_bytes)
                                          : unpack_lz4(entry.payload, entry.unpacked_bytes);
  }
  text.resize(strnlen(text.data(), text.size()));
  return text;
}

std::string best_ptx(std::span<const std::byte> binary, int architecture) {
  const std::vector<Entry> all = entries(binary);
  const Entry* best = nullptr;
  for (const Entry& entry : all) {
    const bool runs = entry.kind == Kind::ptx && (entry.specific ? entry.architecture == architecture
                                                                 : entry.architecture <= architecture);
    const auto rank = [](const Entry& e) { return 2 * e.architecture + int(e.specific); };
    if (runs && (!best || rank(entry) > rank(*best))) best = &entry;
  }
  if (best) return unpack(*best);
  if (const std::string ptx = architectures(all, Kind::ptx); !ptx.empty()) {
    throw Error(
        fmt::format("built for {} only, newer than the simulated GPU: compile with -gencode "
                    "arch=compute_{},code=compute_{}",
                    ptx, architecture, architecture));
  }
  throw Error(
      fmt::format("built without PTX: it holds machine code for {} only; compile with -gencode "
                  "arch=compute_{},code=compute_{}",
                  architectures(all, Kind::elf), architecture, architecture));
}

}  // namespace sim::fatbin
