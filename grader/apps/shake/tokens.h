#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::shake {

/// A directive is a line that begins with #.
enum class Kind : std::uint8_t { name, number, text, mark, directive };

struct Token {
  std::string_view text;
  int name = -1;  // of a name: its number
  Kind kind = Kind::mark;
  bool system = false;  // stands in a header whose declarations may be dropped

  bool is(std::string_view what) const { return text == what; }
};

/// Names as numbers from 0.
class Names {
 public:
  int of(std::string_view text) {
    return numbers_.try_emplace(text, static_cast<int>(numbers_.size())).first->second;
  }

  /// Of the operator that reads literals with a suffix: 5ms, "abc"_x. It is another name than ms.
  int of_suffix(std::string_view suffix) {
    const std::string text = "\"\"" + std::string(suffix);
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    return of(suffixes_.emplace_back(text));
  }

  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string_view, int> numbers_;
  std::deque<std::string> suffixes_;
};

/// Whether a directive says which line of which file comes next: # 7 "x.h" 3
bool tells_place(std::string_view line);

/// A preprocessed text's tokens, without spaces. They are views of @p text.
std::vector<Token> tokens_of(std::string_view text, Names& names);

}  // namespace ladder::shake
