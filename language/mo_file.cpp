#include "language/mo_file.h"

#include <cstring>
#include <utility>

namespace language {
namespace {

// The header: magic, revision, number of texts, and where two tables begin, of English texts in order and of
// their translations. An entry of a table is a length and a place.
constexpr std::uint32_t kMagic = 0x950412de;
constexpr std::size_t kHeader = 20, kEntry = 8;

}  // namespace

std::uint32_t MoFile::number(std::size_t at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + at, sizeof value);
  return value;
}

std::string_view MoFile::text(std::uint32_t table, std::uint32_t i) const {
  const std::size_t entry = table + kEntry * i;
  return {bytes_.data() + number(entry + 4), number(entry)};
}

bool MoFile::is_whole() const {
  for (const std::uint64_t table : {english_, translated_}) {
    if (table + kEntry * std::uint64_t{count_} > bytes_.size()) return false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::size_t entry = static_cast<std::size_t>(table) + kEntry * i;
      const std::uint64_t end = std::uint64_t{number(entry)} + number(entry + 4);
      if (end >= bytes_.size() || bytes_[static_cast<std::size_t>(end)] != 0) return false;
    }
  }
  return true;
}

std::optional<MoFile> MoFile::read(std::string bytes) {
  MoFile file(std::move(bytes));
  if (file.bytes_.size() < kHeader || file.number(0) != kMagic) return std::nullopt;
  file.count_ = file.number(8), file.english_ = file.number(12), file.translated_ = file.number(16);
  if (!file.is_whole()) return std::nullopt;
  return file;
}

const char* MoFile::find(std::string_view english) const {
  if (english.empty()) return nullptr;  // its translation is the catalogue's header
  std::uint32_t low = 0, high = count_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const int order = text(english_, middle).compare(english);
    if (order == 0) return text(translated_, middle).data();
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return nullptr;
}

}  // namespace language
