#include "grader/apps/shake/tokens.h"

#include <algorithm>

namespace ladder::shake {
namespace {
using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) > 127;
}
bool goes_on(char c) { return begins_name(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(string_view text, Names& names) : text_(text), names_(names) {}

  std::vector<Token> all() {
    tokens_.reserve(text_.size() / 5);
    bool at_line = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        at_line = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '#' && at_line) {
        directive();
      } else {
        at_line = false;
        token(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  void add(std::size_t end, Kind kind, int name = -1) {
    end = std::min(end, text_.size());
    tokens_.push_back({text_.substr(at_, end - at_), name, kind, system_});
    at_ = end;
  }

  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const string_view line = text_.substr(at_, end - at_);
    if (const std::size_t quote = line.find('"'); tells_place(line) && quote != line.npos) {
      const std::size_t close = line.rfind('"');
      const string_view file = line.substr(quote + 1, close - quote - 1);
      if (folder_.empty() && file.ends_with("/cuda_runtime.h")) folder_ = file.substr(0, file.size() - 14);
      const string_view flags = line.substr(close + 1);
      // Behind a macro of a system header the flag stands in any file.
      if (flags.starts_with(" 1")) entered_[file] = flags.find(" 3") != flags.npos;
      system_ = entered_[file] || (!folder_.empty() && file.starts_with(folder_));
    }
    add(end, Kind::directive);
  }

  void token(char c) {
    std::size_t end = at_ + 1;
    if (begins_name(c)) {
      while (end < text_.size() && goes_on(text_[end])) ++end;
      const char next = end < text_.size() ? text_[end] : ' ';
      if ((next == '"' || next == '\'') && is_prefix(text_.substr(at_, end - at_))) return quoted(end);
      return add(end, Kind::name, names_.of(text_.substr(at_, end - at_)));
    }
    if (is_digit(c)) {
      while (end < text_.size() &&
             (goes_on(text_[end]) || text_[end] == '.' || text_[end] == '\'' || is_sign(end)))
        ++end;
      return number(end);
    }
    if (c == '"' || c == '\'') return quoted(at_);
    const string_view two = text_.substr(at_, 2);
    for (const string_view mark : {"::", "->", "<=", ">=", "==", "&&", "||", "<<"})
      if (two == mark) end = at_ + 2;
    add(end, Kind::mark);
  }

  static bool is_prefix(string_view name) {
    for (const string_view prefix : {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"})
      if (name == prefix) return true;
    return false;
  }

  bool is_sign(std::size_t at) const {
    return (text_[at] == '+' || text_[at] == '-') &&
           string_view("eEpP").find(text_[at - 1]) != string_view::npos;
  }

  void number(std::size_t end) {
    std::size_t suffix = at_;
    while (suffix < end && !begins_name(text_[suffix])) ++suffix;
    add(end, Kind::number, suffix < end ? names_.of_suffix(text_.substr(suffix, end - suffix)) : -1);
  }

  void quoted(std::size_t open) {
    std::size_t end;
    if (open > at_ && text_[open - 1] == 'R') {
      const std::size_t bracket = text_.find('(', open);
      if (bracket == text_.npos) return add(text_.size(), Kind::text);
      const std::string close = ")" + std::string(text_.substr(open + 1, bracket - open - 1)) + "\"";
      end = text_.find(close, bracket);
      end = end == text_.npos ? text_.size() : end + close.size();
    } else {
      for (end = open + 1; end < text_.size() && text_[end] != text_[open] && text_[end] != '\n'; ++end)
        if (text_[end] == '\\') ++end;
      ++end;
    }
    std::size_t suffix = end;
    while (suffix < text_.size() && goes_on(text_[suffix])) ++suffix;
    const int name = suffix > end ? names_.of_suffix(text_.substr(end, suffix - end)) : -1;
    add(suffix, Kind::text, name);
  }

  string_view text_;
  string_view folder_;                             // the toolkit's headers
  std::unordered_map<string_view, bool> entered_;  // files: does the preprocessor call them a system's?
  Names& names_;
  std::size_t at_ = 0;
  bool system_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

bool tells_place(string_view line) { return line.size() > 2 && is_digit(line[2]); }

std::vector<Token> tokens_of(string_view text, Names& names) { return Lexer(text, names).all(); }

}  // namespace ladder::shake
