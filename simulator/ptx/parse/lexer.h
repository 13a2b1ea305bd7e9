// Cuts PTX text into tokens, one at a time, without copying.
#pragma once

#include <cstdint>
#include <string_view>

namespace sim::ptx {

enum class TokenKind : std::uint8_t {
  end,
  word,              ///< identifier: `ld`, `%r1`, `$L__BB0_2`, `_`
  directive,         ///< `.global`, `.v4`, `.shared::cta`; text without the dot
  integer,           ///< value in bits
  unsigned_integer,  ///< the same with a U suffix
  single,            ///< `0f3F800000`, or its bits from a decimal literal
  real,              ///< `0d3FF0000000000000` or a decimal such as `1.5`
  string,            ///< text without the quotes
  punctuation,       ///< one character, in text
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t bits = 0;
  int line = 1;
  bool spaced = false;  ///< white space precedes it

  bool is(char c) const { return kind == TokenKind::punctuation && text[0] == c; }
  bool is_directive(std::string_view name) const { return kind == TokenKind::directive && text == name; }
  bool is_word(std::string_view name) const { return kind == TokenKind::word && text == name; }
  bool is_number() const { return kind >= TokenKind::integer && kind <= TokenKind::real; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  /// The token at hand; the last one is always of kind end.
  const Token& peek() const { return token_; }
  /// Returns the token at hand and moves to the one after it. @throws ParseError on a malformed token
  Token next() {
    Token token = token_;
    advance();
    return token;
  }

 private:
  void advance();
  bool skip_blanks();
  void number();
  void hexadecimal_float(TokenKind kind, std::size_t digits);
  void decimal_float();
  void string();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace sim::ptx
