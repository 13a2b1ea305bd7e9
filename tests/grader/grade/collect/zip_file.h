// Archives as hostile as a test wants them: what a .zip says of a file need not be what it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grading {

/// A .zip, entry by entry; the format is PKWARE's APPNOTE.TXT, 4.3.
class ZipFile {
 public:
  struct Facts {
    std::uint32_t mode = 0100644;    ///< of Unix: 0120777 is a link
    std::uint16_t method = 0;        ///< 0: stored, 8: deflated
    std::uint16_t made_by = 3 << 8;  ///< 3: Unix, 0: DOS
    std::uint16_t flags = 0x800;     ///< names are UTF-8
    std::int64_t claims = -1;        ///< bytes that it says it unpacks to; else those of the data
    std::uint32_t sum = 0;           ///< CRC-32 of what it unpacks to; computed where nothing is given
  };

  void add(const std::string& name, const std::string& data, Facts facts) {
    const auto claims =
        static_cast<std::uint32_t>(facts.claims >= 0 ? facts.claims : std::int64_t(data.size()));
    if (facts.sum == 0) facts.sum = crc(data);
    const std::size_t at = text_.size();
    const auto common = [&](std::string& to) {
      put(to, 20, 2), put(to, facts.flags, 2), put(to, facts.method, 2);
      put(to, 0, 2), put(to, 0x21, 2);  // midnight of the first of January 1980
      put(to, facts.sum, 4), put(to, data.size(), 4), put(to, claims, 4), put(to, name.size(), 2),
          put(to, 0, 2);
    };
    put(text_, 0x04034b50, 4);
    common(text_);
    text_ += name + data;
    put(directory_, 0x02014b50, 4), put(directory_, facts.made_by | 20, 2);
    common(directory_);
    put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2);
    put(directory_, facts.made_by == 0 ? 0 : facts.mode << 16, 4), put(directory_, at, 4);
    directory_ += name;
    ++count_;
  }
  void add(const std::string& name, const std::string& data) { add(name, data, Facts{}); }

  std::string text() const {
    std::string end;
    put(end, 0x06054b50, 4), put(end, 0, 4), put(end, count_, 2), put(end, count_, 2);
    put(end, directory_.size(), 4), put(end, text_.size(), 4), put(end, 0, 2);
    return text_ + directory_ + end;
  }

 private:
  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
  }
  static std::uint32_t crc(const std::string& data) {
    std::uint32_t sum = ~0u;
    for (const char c : data) {
      sum ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
  }

  std::string text_, directory_;
  std::size_t count_ = 0;
};

}  // namespace grading
