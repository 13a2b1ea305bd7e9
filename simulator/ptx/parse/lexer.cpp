#include "simulator/ptx/parse/lexer.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <string>

#include "simulator/ptx/program.h"

namespace sim::ptx {
namespace {

enum : std::uint8_t { kInName = 1, kNameStart = 2, kDigit = 4, kHex = 8, kBlank = 16 };

constexpr std::array<std::uint8_t, 256> classify() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = kInName | kNameStart;
  for (int c = '0'; c <= '9'; ++c) table[c] = kInName | kDigit | kHex;
  for (int c = 'a'; c <= 'f'; ++c) {
    table[c] |= kHex;
    table[c - 32] |= kHex;
  }
  for (char c : {'_', '$', '%'}) table[static_cast<int>(c)] = kInName | kNameStart;
  for (char c : {' ', '\t', '\r', '\v', '\f', '\n'}) table[static_cast<int>(c)] = kBlank;
  return table;
}
constexpr auto kClass = classify();

bool has(char c, std::uint8_t what) { return kClass[static_cast<unsigned char>(c)] & what; }

}  // namespace

/// Skips white space and comments; the end of the text may cut a comment short. A NUL ends the text: the
/// fat binary pads PTX with them.
bool Lexer::skip_blanks() {
  const std::size_t start = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (has(c, kBlank)) {
      line_ += c == '\n';
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      const std::size_t end = close == text_.npos ? text_.size() : close + 2;
      for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
    } else {
      break;
    }
  }
  return at_ != start;
}

void Lexer::advance() {
  token_.spaced = skip_blanks();
  token_.line = line_;
  token_.bits = 0;
  const std::size_t start = at_;
  if (at_ >= text_.size() || text_[at_] == '\0') {
    token_.kind = TokenKind::end;
    token_.text = "end of file";
    return;
  }
  const char c = text_[at_];
  if (has(c, kNameStart)) {
    while (at_ < text_.size() && has(text_[at_], kInName)) ++at_;
    token_.kind = TokenKind::word;
    token_.text = text_.substr(start, at_ - start);
  } else if (c == '.' && at_ + 1 < text_.size() && has(text_[at_ + 1], kInName)) {
    ++at_;
    while (at_ < text_.size()) {
      if (has(text_[at_], kInName)) {
        ++at_;
      } else if (text_.substr(at_, 2) == "::") {
        at_ += 2;
      } else {
        break;
      }
    }
    token_.kind = TokenKind::directive;
    token_.text = text_.substr(start + 1, at_ - start - 1);
  } else if (has(c, kDigit)) {
    number();
  } else if (c == '"') {
    string();
  } else {
    ++at_;
    token_.kind = TokenKind::punctuation;
    token_.text = text_.substr(start, 1);
  }
}

void Lexer::number() {
  const std::size_t start = at_;
  const char prefix = text_[at_] == '0' && at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (prefix == 'f' || prefix == 'F') return hexadecimal_float(TokenKind::single, 8);
  if (prefix == 'd' || prefix == 'D') return hexadecimal_float(TokenKind::real, 16);
  unsigned base = 10;
  if (prefix == 'x' || prefix == 'X') {
    base = 16;
    at_ += 2;
  } else if (prefix == 'b' || prefix == 'B') {
    base = 2;
    at_ += 2;
  } else if (has(prefix, kDigit)) {
    base = 8;
    at_ += 1;
  }
  std::uint64_t value = 0;
  const std::size_t digits = at_;
  for (; at_ < text_.size() && has(text_[at_], kHex); ++at_) {
    const char c = text_[at_];
    const unsigned digit = has(c, kDigit) ? c - '0' : (c | 32) - 'a' + 10;
    if (digit >= base) break;
    if (value > (~std::uint64_t{0} - digit) / base) throw ParseError(line_, "this number needs over 64 bits");
    value = value * base + digit;
  }
  if (at_ == digits) throw ParseError(line_, "a number without digits");
  if (base == 10 && at_ < text_.size() && (text_[at_] == '.' || (text_[at_] | 32) == 'e')) {
    at_ = start;
    return decimal_float();
  }
  token_.kind = TokenKind::integer;
  if (at_ < text_.size() && (text_[at_] | 32) == 'u') {
    token_.kind = TokenKind::unsigned_integer;
    ++at_;
  }
  if (at_ < text_.size() && has(text_[at_], kInName)) throw ParseError(line_, "a malformed number");
  token_.text = text_.substr(start, at_ - start);
  token_.bits = value;
}

void Lexer::hexadecimal_float(TokenKind kind, std::size_t digits) {
  const std::size_t start = at_;
  at_ += 2;
  std::uint64_t bits = 0;
  for (; at_ < text_.size() && has(text_[at_], kHex); ++at_) {
    const char c = text_[at_];
    bits = bits << 4 | (has(c, kDigit) ? c - '0' : (c | 32) - 'a' + 10);
  }
  if (at_ - start - 2 != digits) throw ParseError(line_, "a float literal with the wrong number of digits");
  token_.kind = kind;
  token_.text = text_.substr(start, at_ - start);
  token_.bits = bits;
}

void Lexer::decimal_float() {
  const std::size_t start = at_;
  while (at_ < text_.size() && (has(text_[at_], kDigit) || text_[at_] == '.')) ++at_;
  if (at_ < text_.size() && (text_[at_] | 32) == 'e') {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    while (at_ < text_.size() && has(text_[at_], kDigit)) ++at_;
  }
  token_.kind = TokenKind::real;
  token_.text = text_.substr(start, at_ - start);
  token_.bits = std::bit_cast<std::uint64_t>(std::strtod(std::string(token_.text).c_str(), nullptr));
}

void Lexer::string() {
  const std::size_t start = ++at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\n') throw ParseError(line_, "a string without its closing quote");
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size()) throw ParseError(line_, "a string without its closing quote");
  token_.kind = TokenKind::string;
  token_.text = text_.substr(start, at_ - start);
  ++at_;
}

}  // namespace sim::ptx
