// A compiled catalogue of gettext's: what msgfmt makes of a .po file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace language {

class MoFile {
 public:
  /// @return none where @p bytes are no such file, or a damaged one
  static std::optional<MoFile> read(std::string bytes);

  /// The translation of a text; null where it has none.
  const char* find(std::string_view english) const;
  std::uint32_t size() const { return count_; }

 private:
  explicit MoFile(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint32_t number(std::size_t at) const;
  /// Text @p i of a table, which is followed by a 0.
  std::string_view text(std::uint32_t table, std::uint32_t i) const;
  bool is_whole() const;

  std::string bytes_;
  std::uint32_t count_ = 0, english_ = 0, translated_ = 0;  ///< texts; where the tables of their places begin
};

}  // namespace language
