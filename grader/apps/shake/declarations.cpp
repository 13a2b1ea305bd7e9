#include "grader/apps/shake/declarations.h"

#include <algorithm>
#include <utility>

namespace ladder::shake {
namespace {
using std::string_view;

/// Whether a pragma is about the declaration that comes next, and goes with it.
bool is_of_next(string_view line) {
  return line.find("exec_check_disable") != line.npos || line.find("hd_warning_disable") != line.npos;
}

constexpr string_view kKeywords[] = {
    "void",       "bool",          "char",          "short",       "int",        "long",
    "float",      "double",        "signed",        "unsigned",    "wchar_t",    "char16_t",
    "char32_t",   "auto",          "const",         "volatile",    "constexpr",  "static",
    "extern",     "inline",        "__inline__",    "__inline",    "typename",   "class",
    "struct",     "union",         "enum",          "template",    "noexcept",   "decltype",
    "operator",   "explicit",      "friend",        "virtual",     "register",   "thread_local",
    "__thread",   "__extension__", "__attribute__", "__attribute", "__restrict", "__restrict__",
    "__signed__", "__const",       "__volatile__",  "throw",       "alignas",    "sizeof",
    "typedef",    "using",         "namespace",     "__int128",    "_Float16",   "_Float32",
    "_Float64",   "_Float128",     "_Float32x",     "_Float64x",   "__float128", "__builtin_va_list",
    "this",       "return",        "true",          "false",       "nullptr",    "final",
    "override",   "__asm__",       "asm",           "__asm",       "__declspec", "__noreturn__",
    "__typeof__", "__typeof"};

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Names& names) : tokens_(tokens), names_(names) {
    for (const string_view word : kKeywords) keywords_.push_back(names.of(word));
    std::sort(keywords_.begin(), keywords_.end());
  }

  std::vector<Declaration> all() {
    scope();
    return std::move(declarations_);
  }

 private:
  bool at_end() const { return at_ >= tokens_.size(); }
  bool is(std::size_t at, string_view what) const { return at < tokens_.size() && tokens_[at].is(what); }
  bool is_keyword(const Token& token) const {
    return token.kind == Kind::name && std::binary_search(keywords_.begin(), keywords_.end(), token.name);
  }
  bool is_identifier(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].kind == Kind::name && !is_keyword(tokens_[at]);
  }

  /// The first token after one that opens a bracket, and all inside.
  std::size_t after_bracket(std::size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.kind != Kind::mark) continue;
      const char c = token.text[0];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at + 1;
    }
    return at;
  }

  /// The first token after the arguments or parameters of a template, at whose `<` @p at is.
  std::size_t after_angles(std::size_t at) const {
    int depth = 0;
    while (at < tokens_.size()) {
      const Token& token = tokens_[at];
      if (token.kind == Kind::mark) {
        const char c = token.text[0];
        if (c == '(' || c == '[' || c == '{') {
          at = after_bracket(at);
          continue;
        }
        if (c == ';' || c == '}') return at;  // it was none
        if (token.is("<")) ++depth;
        if (token.is(">") && --depth == 0) return at + 1;
      }
      ++at;
    }
    return at;
  }

  /// Whether a word is one whose brackets belong to it.
  bool has_brackets(std::size_t at) const {
    for (const string_view word : {"__attribute__", "__attribute", "alignas", "__declspec", "decltype",
                                   "noexcept", "__typeof__", "__typeof", "throw", "asm", "__asm__", "__asm"})
      if (is(at, word)) return is(at + 1, "(");
    return false;
  }

  void scope() {
    while (!at_end()) {
      const Token& token = tokens_[at_];
      if (token.kind == Kind::directive) {
        if (is_of_next(token.text)) pragma_ = at_;
        ++at_;
        continue;
      }
      if (token.is(";") || token.is("}")) {
        ++at_;  // a brace closes a namespace, whose declarations lie in one row with those around it
        continue;
      }
      if (!opens_scope()) declaration();
    }
  }

  std::size_t next(std::size_t at) const {  // without lines that begin with #
    while (at < tokens_.size() && tokens_[at].kind == Kind::directive) ++at;
    return at;
  }

  /// `namespace x {` and `extern "C" {` are kept, with their attributes; what is inside is looked at by
  /// itself.
  bool opens_scope() {
    std::size_t at = at_;
    if (is(at, "inline")) at = next(at + 1);
    const bool linkage =
        is(at, "extern") && at + 1 < tokens_.size() && tokens_[next(at + 1)].kind == Kind::text;
    if (!is(at, "namespace") && !linkage) return false;
    for (at = next(at + 1); at < tokens_.size() && !is(at, "{"); ++at) {
      if (is(at, ";") || is(at, "=") || is(at, "}")) return false;
      if (linkage && tokens_[at].kind == Kind::name) return false;
      if (is(at, "(")) at = after_bracket(at) - 1;
    }
    at_ = at + 1;
    return true;
  }

  void declaration() {
    Declaration made{at_, end_of(at_)};
    at_ = made.end;
    const std::size_t pragma = std::exchange(pragma_, kNone);
    made.always = !std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(made.begin),
                               tokens_.begin() + static_cast<std::ptrdiff_t>(made.end),
                               [](const Token& t) { return t.system || t.kind == Kind::directive; });
    if (!made.always) classify(made);
    if (pragma != kNone) made.begin = pragma;
    declarations_.push_back(std::move(made));
  }

  /// Whether what begins here goes on to a semicolon behind its braces.
  bool is_type(std::size_t begin, std::size_t brace) const {
    if (is(begin, "typedef") || is(begin, "using") || is(begin, "static_assert")) return true;
    bool key = false;
    for (std::size_t at = begin; at < brace;) {
      if (has_brackets(at)) {
        at = after_bracket(at + 1);
      } else if (is(at, "<")) {
        at = after_angles(at);
      } else if (is(at, "(") || is(at, "=") || is(at, "operator")) {
        return false;
      } else {
        key = key || is(at, "class") || is(at, "struct") || is(at, "union") || is(at, "enum");
        ++at;
      }
    }
    return key;
  }

  std::size_t end_of(std::size_t begin) const {
    for (std::size_t at = begin; at < tokens_.size();) {
      const Token& token = tokens_[at];
      if (token.kind != Kind::mark) {
        ++at;
      } else if (token.is(";")) {
        return at + 1;
      } else if (token.is("}")) {
        return at;  // of a scope around it
      } else if (token.is("{")) {
        const std::size_t after = after_bracket(at), then = next(after);
        const bool goes_on =
            is_type(begin, at) || is(then, ";") || is(then, ",") || is(then, "{") || is(then, "=");
        if (!goes_on) return after;
        at = after;
      } else if (token.is("(") || token.is("[")) {
        at = after_bracket(at);
      } else {
        ++at;
      }
    }
    return tokens_.size();
  }

  void declare_all(Declaration& made, std::size_t begin, std::size_t end) const {
    for (std::size_t at = begin; at < end; ++at)
      if (tokens_[at].name >= 0 && !is_keyword(tokens_[at])) made.declares.push_back(tokens_[at].name);
    if (made.declares.empty()) made.always = true;
  }

  /// The types that a list of arguments or parameters begins with: not what it computes (`a<b>::c`), nor what
  /// its templates are of, nor the names of parameters.
  void be_about(Declaration& made, std::size_t open, std::size_t close) const {
    for (std::size_t at = open + 1; at + 1 < close; ++at) {
      if (is(at, "<")) {
        at = after_angles(at) - 1;
      } else if (is(at, "(") || is(at, "[") || is(at, "{")) {
        at = after_bracket(at) - 1;
      } else if (is_identifier(at) && !is(is(at + 1, "<") ? after_angles(at + 1) : at + 1, "::")) {
        const bool is_parameter = is_identifier(at - 1) || is(at - 1, "&") || is(at - 1, "*") ||
                                  is(at - 1, "&&") || is(at - 1, ">");
        if (!is_parameter &&
            std::find(parameters_.begin(), parameters_.end(), tokens_[at].name) == parameters_.end())
          made.about.push_back(tokens_[at].name);
      }
    }
  }

  /// The class of a template's first parameter, if arguments of the template are deduced from it: nothing is
  /// converted then.
  void be_about_first(Declaration& made, std::size_t open) const {
    std::size_t at = open + 1;
    while (is(at, "const") || is(at, "::") || (is_identifier(at) && is(at + 1, "::"))) ++at;
    if (!is_identifier(at) || !is(at + 1, "<")) return;
    const std::size_t after = after_angles(at + 1);
    if (is(after, "::")) return;
    for (std::size_t in = at + 1; in < after; ++in)
      if (std::find(parameters_.begin(), parameters_.end(), tokens_[in].name) != parameters_.end()) {
        made.about.push_back(tokens_[at].name);
        return;
      }
  }

  void classify(Declaration& made) {
    std::size_t at = made.begin;
    parameters_.clear();
    bool is_template = false, is_extern = false, is_constant = false;
    const auto skip = [&] {  // what may stand before a declaration proper
      for (;;) {
        at = next(at);
        if (is(at, "template")) {
          is_template = true;
          const std::size_t after = is(at + 1, "<") ? after_angles(at + 1) : at + 1;
          for (std::size_t in = at + 1; in < after; ++in)
            if (is_identifier(in) && (is(in + 1, ",") || is(in + 1, ">") || is(in + 1, "=")))
              parameters_.push_back(tokens_[in].name);
          at = after;
        } else if (has_brackets(at)) {
          at = after_bracket(at + 1);
        } else if (is(at, "[")) {
          at = after_bracket(at);
        } else if (is(at, "extern") || is(at, "__extension__") || is(at, "inline") || is(at, "static") ||
                   is(at, "constexpr") || is(at, "const") ||
                   (at < made.end && tokens_[at].kind == Kind::text)) {
          is_extern = is_extern || is(at, "extern");
          is_constant = is_constant || is(at, "constexpr") || is(at, "const");
          ++at;
        } else {
          return;
        }
      }
    };
    skip();
    if (is(at, "static_assert")) {  // which the headers' own people have read
      made.dropped = true;
      return;
    }
    if (is(at, "using")) return alias(made, at);
    if (is(at, "namespace")) return declare_all(made, at + 1, at + 2);
    if (is(at, "typedef") || is(at, "enum")) return declare_all(made, at, made.end);
    if (is(at, "class") || is(at, "struct") || is(at, "union")) {
      std::size_t brace = at;
      while (brace < made.end && !is(brace, "{") && !is(brace, ";")) ++brace;
      if (is(brace, ";") ? is_forward(at, brace) : is_type(at, brace)) return type(made, at + 1, brace);
    }
    declarator(made, at, is_template || is_extern || is_constant, is_template && parameters_.empty());
  }

  /// `using x = ...;`, `using a::x;` declare x; `using namespace x;` is always kept.
  void alias(Declaration& made, std::size_t at) const {
    if (is(at + 1, "namespace")) {
      made.always = true;
      return;
    }
    std::size_t end = at + 1;
    while (end < made.end && !is(end, "=") && !is(end, ";")) ++end;
    if (is(end, "=") && is_identifier(at + 1))
      made.declares.push_back(tokens_[at + 1].name);
    else if (is(end, ";") && is_identifier(end - 1))
      made.declares.push_back(tokens_[end - 1].name);
    else
      made.always = true;
  }

  /// `struct x;`, and not `struct x f;`
  bool is_forward(std::size_t at, std::size_t end) const {
    int names = 0;
    while (++at < end) {
      if (has_brackets(at))
        at = after_bracket(at + 1) - 1;
      else if (is(at, "<"))
        at = after_angles(at) - 1;
      else if (is(at, "::"))
        --names;
      else if (is(at, "(") || is(at, "="))
        return false;
      else if (is_identifier(at))
        ++names;
    }
    return names == 1;
  }

  /// A class, or a specialisation of one: about its arguments.
  void type(Declaration& made, std::size_t at, std::size_t brace) const {
    int name = -1, owner = -1;
    for (; at < brace; ++at) {
      if (has_brackets(at)) {
        at = after_bracket(at + 1) - 1;
      } else if (is(at, "[")) {
        at = after_bracket(at) - 1;
      } else if (is(at, "<")) {
        const std::size_t after = after_angles(at);
        be_about(made, at, after);
        at = after - 1;
      } else if (is(at, ":")) {
        break;
      } else if (is(at, "::")) {
        owner = name;
      } else if (is_identifier(at)) {
        name = tokens_[at].name;
      }
    }
    made.is_class = owner < 0;
    if (name >= 0)
      declare(made, owner, name);
    else
      declare_all(made, made.begin, made.end);
    if (is(brace, "{"))  // struct {...} x;
      for (std::size_t behind = after_bracket(brace); behind < made.end; ++behind)
        if (is_identifier(behind)) made.declares.push_back(tokens_[behind].name);
  }

  /// A function or a variable. Special: a specialisation or an instantiation, about its arguments.
  void declarator(Declaration& made, std::size_t at, bool may_go, bool is_special) const {
    int name = -1, owner = -1;  // owner: of a member that is defined outside of its class
    for (; at < made.end; ++at) {
      if (has_brackets(at)) {
        at = after_bracket(at + 1) - 1;
      } else if (is(at, "operator")) {
        return operation(made, at, name, owner);
      } else if (is(at, "~")) {
        continue;
      } else if (is(at, "<")) {
        const std::size_t after = after_angles(at);
        if (is_special && (is(after, "(") || is(after, "="))) be_about(made, at, after);
        at = after - 1;
      } else if (is(at, "::")) {
        owner = name;
      } else if (is_identifier(at)) {
        if (!is(at - 1, "::") && !is(at - 1, "~")) owner = -1;
        name = tokens_[at].name;
      } else if (tokens_[at].kind == Kind::name) {
        if (!is(at, "const") && !is(at, "volatile")) name = -1;
      } else if (is(at, "(")) {
        if (name < 0 || is(at + 1, "*") || is(at + 1, "&")) return declare_all(made, made.begin, made.end);
        be_about_first(made, at);
        declare(made, owner, name);
        return;
      } else if (is(at, "=") || is(at, "{") || is(at, "[") || is(at, ";")) {
        if (name < 0 || !may_go) break;  // a variable may do something by being there
        declare(made, owner, name);
        return;
      } else if (is(at, ",") || is(at, ":")) {
        break;
      }
    }
    made.always = true;
  }

  /// A member is needed with its class; what has a namespace before it, where it is named.
  static void declare(Declaration& made, int owner, int name) {
    made.declares.push_back(owner >= 0 ? owner : name);
    if (owner >= 0) made.member = name;
  }

  void operation(Declaration& made, std::size_t at, int name, int owner) const {
    if (is(at - 1, "::") && (owner >= 0 || name >= 0)) {
      made.declares.push_back(name >= 0 ? name : owner);
      return;
    }
    if (at + 1 < made.end && tokens_[at + 1].kind == Kind::text) {  // operator""_x
      int suffix = tokens_[at + 1].name;
      if (suffix < 0 && is_identifier(at + 2)) suffix = names_.of_suffix(tokens_[at + 2].text);
      if (suffix >= 0)
        made.declares.push_back(suffix);
      else
        made.always = true;
      return;
    }
    at += is(at + 1, "(") ? 3 : 1;
    while (at < made.end && !is(at, "(")) ++at;
    be_about(made, at, after_bracket(at));
    made.declares.swap(made.about);
    be_about_first(made, at);
    made.is_operator = true;
  }

  const std::vector<Token>& tokens_;
  Names& names_;
  std::vector<int> keywords_, parameters_;
  std::size_t at_ = 0;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t pragma_ = kNone;  // of the declaration that comes next
  std::vector<Declaration> declarations_;
};

}  // namespace

std::vector<Declaration> declarations_of(const std::vector<Token>& tokens, Names& names) {
  return Parser(tokens, names).all();
}

}  // namespace ladder::shake
