#include "grader/serve/text/highlight.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "simulator/lens/markup.h"

namespace ladder::cli::serve {
namespace {

constexpr auto kKeywords = std::to_array<std::string_view>({"alignas",
                                                            "alignof",
                                                            "asm",
                                                            "auto",
                                                            "break",
                                                            "case",
                                                            "catch",
                                                            "class",
                                                            "concept",
                                                            "const",
                                                            "constexpr",
                                                            "const_cast",
                                                            "continue",
                                                            "decltype",
                                                            "default",
                                                            "delete",
                                                            "do",
                                                            "else",
                                                            "enum",
                                                            "explicit",
                                                            "extern",
                                                            "false",
                                                            "for",
                                                            "friend",
                                                            "goto",
                                                            "if",
                                                            "inline",
                                                            "mutable",
                                                            "namespace",
                                                            "new",
                                                            "noexcept",
                                                            "nullptr",
                                                            "operator",
                                                            "private",
                                                            "protected",
                                                            "public",
                                                            "reinterpret_cast",
                                                            "requires",
                                                            "return",
                                                            "sizeof",
                                                            "static",
                                                            "static_assert",
                                                            "static_cast",
                                                            "struct",
                                                            "switch",
                                                            "template",
                                                            "this",
                                                            "throw",
                                                            "true",
                                                            "try",
                                                            "typedef",
                                                            "typename",
                                                            "union",
                                                            "using",
                                                            "virtual",
                                                            "volatile",
                                                            "while"});
constexpr auto kTypes = std::to_array<std::string_view>(
    {"bool", "char", "dim3", "double", "float",  "float2", "float4", "half",     "half2", "int",
     "int2", "int4", "long", "short",  "signed", "size_t", "uint4",  "unsigned", "void",  "wchar_t"});
constexpr auto kCuda =
    std::to_array<std::string_view>({"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"});

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <class Words>
bool among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const char* kind_of_word(std::string_view word) {
  if (among(kKeywords, word)) return "k";
  if (among(kTypes, word) || (word.size() > 2 && word.ends_with("_t"))) return "t";
  if (among(kCuda, word) || (word.starts_with("__") && word.size() > 4)) return "g";
  return "";
}

/// Goes through a source once, piece by piece.
class Highlighter {
 public:
  explicit Highlighter(std::string_view source) : source_(source) {}

  std::vector<std::string> run() {
    while (at_ < source_.size()) next();
    if (!line_.empty()) lines_.push_back(std::move(line_));
    return std::move(lines_);
  }

 private:
  void next() {
    const std::string_view rest = source_.substr(at_);
    const char c = rest[0];
    if (rest.starts_with("//")) return take(end_of_line(rest), "c");
    if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      return take(end == rest.npos ? rest.size() : end + 2, "c");
    }
    if (c == '"' || c == '\'') return take(quoted(rest, c), "s");
    if (c == '#' && only_blanks_before()) return take(directive(rest), "d");
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return take(number(rest), "n");
    if (is_word(c)) {
      const std::string_view word = rest.substr(0, word_length(rest));
      return take(word.size(), kind_of_word(word));
    }
    take(1, "");
  }

  static std::size_t end_of_line(std::string_view rest) { return std::min(rest.find('\n'), rest.size()); }
  static std::size_t word_length(std::string_view rest) {
    return static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_word) - rest.begin());
  }
  /// Up to the closing mark, or the end of the line where that is missing.
  static std::size_t quoted(std::string_view rest, char mark) {
    for (std::size_t i = 1; i < rest.size() && rest[i] != '\n'; ++i) {
      if (rest[i] == '\\')
        ++i;
      else if (rest[i] == mark)
        return i + 1;
    }
    return end_of_line(rest);
  }
  /// The directive's name and, of an include, what it includes.
  static std::size_t directive(std::string_view rest) {
    std::size_t end = 1;
    while (end < rest.size() && rest[end] == ' ') ++end;
    end += word_length(rest.substr(end));
    return end;
  }
  static std::size_t number(std::string_view rest) {
    std::size_t end = 1;
    while (end < rest.size() && (is_word(rest[end]) || rest[end] == '.' ||
                                 (rest[end] == '\'' && end + 1 < rest.size() && is_word(rest[end + 1])) ||
                                 ((rest[end] == '+' || rest[end] == '-') &&
                                  (rest[end - 1] == 'e' || rest[end - 1] == 'E') && !rest.starts_with("0x"))))
      ++end;
    return end;
  }
  bool only_blanks_before() const {
    const std::size_t begin = source_.substr(0, at_).rfind('\n') + 1;  // npos + 1 is 0
    return source_.substr(begin, at_ - begin).find_first_not_of(" \t") == std::string_view::npos;
  }

  /// The next @p length characters are of one kind; a line's end within them ends the element and begins it
  /// again.
  void take(std::size_t length, const char* kind) {
    const std::size_t end = at_ + length;
    while (at_ < end) {
      const std::size_t stop = std::min(source_.find('\n', at_), end);
      const std::string text = sim::lens::escaped(std::string(source_.substr(at_, stop - at_)));
      if (*kind != 0 && !text.empty())
        line_.append("<span class=\"").append(kind).append("\">").append(text).append("</span>");
      else
        line_ += text;
      at_ = stop;
      if (at_ < end) {  // at the line's end
        lines_.push_back(std::move(line_));
        line_.clear();
        ++at_;
      }
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string line_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> highlighted(std::string_view source) { return Highlighter(source).run(); }

}  // namespace ladder::cli::serve
