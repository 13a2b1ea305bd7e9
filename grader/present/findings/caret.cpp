#include "grader/present/findings/caret.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace ladder::cli {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Blanks for comments and for what stands in quotes, so that what is left is code; every byte keeps its
/// place.
std::string code_of(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      end = text.find("*/", i + 2);
      end = end == text.npos ? text.size() : end + 2;
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      for (end = i + 1; end < text.size() && text[end] != text[i]; ++end)
        if (text[end] == '\\') ++end;
      end = std::min(end + 1, text.size());
    }
    for (; i < end; ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
  return text;
}

/// The place behind the bracket that closes the one at @p open.
std::size_t closed(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '(' || code[i] == '[' || code[i] == '{') ++depth;
    if ((code[i] == ')' || code[i] == ']' || code[i] == '}') && --depth == 0) return i + 1;
  }
  return code.size();
}

/// The word that ends before @p end, blanks aside.
std::string_view word_before(std::string_view code, std::size_t end) {
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\n')) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}
bool is_statement_word(std::string_view word) {
  return word == "return" || word == "case" || word == "else" || word == "do" || word == "throw";
}

/// Whether a brace opens a block, and not a list of initial values.
bool opens_block(std::string_view code, std::size_t begin, std::size_t brace) {
  const std::size_t before = code.find_last_not_of(" \n", brace == 0 ? 0 : brace - 1);
  return before == code.npos || before < begin || code[before] == ')' ||
         is_statement_word(word_before(code, brace));
}

/// Where a statement ends: at its semicolon, or, of a loop and a condition, behind the parentheses.
std::size_t statement_end(std::string_view code, std::size_t begin) {
  for (const std::string_view head : {"if", "for", "while", "switch"}) {
    if (!code.substr(begin).starts_with(head) ||
        (begin + head.size() < code.size() && is_word(code[begin + head.size()])))
      continue;
    const std::size_t open = code.find('(', begin);
    if (open != code.npos) return closed(code, open);
  }
  int depth = 0;
  for (std::size_t i = begin; i < code.size(); ++i) {
    const char c = code[i];
    if (depth == 0 && (c == ';' || (c == '{' && opens_block(code, begin, i)))) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return i;
  }
  return code.size();
}

struct Access {
  std::size_t begin = 0, end = 0;
  std::string name;
  bool read = false, stored = false, address = false;  ///< address: only that is taken
};

/// What the operators around an operand do with it.
void take_use(Access& a, std::string_view code) {
  std::size_t behind = code.find_first_not_of(" \n", a.end);
  while (behind != code.npos && code[behind] == '.') {  // a member of it
    for (++behind; behind < code.size() && is_word(code[behind]);) ++behind;
    behind = code.find_first_not_of(" \n", behind);
  }
  const std::string_view next = behind == code.npos ? std::string_view() : code.substr(behind);
  std::size_t before = a.begin;
  while (before > 0 && code[before - 1] == ' ') --before;
  const std::string_view previous = code.substr(0, before);
  const bool shifted = next.starts_with("<<=") || next.starts_with(">>=");
  const bool updated = shifted || (next.size() > 1 && next[1] == '=' &&
                                   std::string_view("+-*/%&|^").find(next[0]) != next.npos);
  const bool stepped = next.starts_with("++") || next.starts_with("--") || previous.ends_with("++") ||
                       previous.ends_with("--");
  const bool assigned = next.starts_with("=") && !next.starts_with("==");
  a.address = previous.ends_with("&") && !previous.ends_with("&&") &&
              (before < 2 || (!is_word(code[before - 2]) && code[before - 2] != ')' &&
                              code[before - 2] != ']' && code[before - 2] != ' '));
  a.stored = !a.address && (assigned || updated || stepped);
  a.read = !a.address && !assigned;
}

/// `name[...][...]` and `*name` in a piece of code, in the order in which they stand.
std::vector<Access> accesses_in(std::string_view code, std::size_t from, std::size_t to) {
  std::vector<Access> all;
  for (std::size_t at = from; at < to; ++at) {
    Access a;
    if (code[at] == '[') {
      a.begin = at;
      while (a.begin > from && is_word(code[a.begin - 1])) --a.begin;
      if (a.begin == at) continue;  // a further subscript of one, or a lambda
      a.name = code.substr(a.begin, at - a.begin);
      const std::string_view word = word_before(code, a.begin);
      if (!word.empty() && a.begin > from && !is_statement_word(word)) continue;  // `float sums[4]`
      for (a.end = at; a.end < to && code[a.end] == '[';) a.end = closed(code, a.end);
    } else if (code[at] == '*') {
      const std::string_view word = word_before(code, at);
      std::size_t left = at;
      while (left > from && code[left - 1] == ' ') --left;
      const char before = left > from ? code[left - 1] : '(';
      const bool binary = (is_word(before) && !is_statement_word(word)) || before == ')' || before == ']' ||
                          before == '>' || before == '*';
      if (binary || at + 1 >= to || (!is_word(code[at + 1]) && code[at + 1] != '(')) continue;
      a.begin = at;
      for (a.end = at + 1; a.end < to && is_word(code[a.end]);) ++a.end;
      a.name = code.substr(at + 1, a.end - at - 1);
      if (a.end < to && (code[a.end] == '(' || code[a.end] == '[')) a.end = closed(code, a.end);
    } else {
      continue;
    }
    take_use(a, code);
    all.push_back(a);
  }
  return all;
}

/// In the order of evaluation: what a subscript needs before it, and what is assigned before the place where
/// it goes ([expr.ass]).
void order(std::vector<Access>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Access& a, const Access& b) { return a.end < b.end; });
  const auto target = std::find_if(all.begin(), all.end(), [](const Access& a) { return a.stored; });
  if (target == all.end()) return;
  const std::size_t end = target->end;
  std::stable_partition(all.begin(), all.end(), [&](const Access& a) { return a.begin >= end; });
}

bool is_access_kind(sim::FindingKind kind) {
  return kind == sim::FindingKind::out_of_bounds || kind == sim::FindingKind::misaligned ||
         kind == sim::FindingKind::uninitialized || kind == sim::FindingKind::use_after_free ||
         kind == sim::FindingKind::race;
}

std::optional<Access> access_of(const sim::Finding& finding, std::vector<Access> all) {
  if (finding.access == sim::AccessKind::none) return std::nullopt;
  order(all);
  if (finding.access == sim::AccessKind::write) std::erase_if(all, [](const Access& a) { return !a.stored; });
  if (finding.access == sim::AccessKind::read) std::erase_if(all, [](const Access& a) { return !a.read; });
  if (finding.access == sim::AccessKind::atomic)
    std::erase_if(all, [](const Access& a) { return !a.address; });
  const std::string name = sim::variable_of(finding);
  const auto named = [&](const Access& a) { return a.name == name; };
  const bool has_name = std::any_of(all.begin(), all.end(), named);
  if (finding.of > 0 && static_cast<std::size_t>(finding.of) == all.size() && finding.nth >= 1 &&
      finding.nth <= finding.of) {
    const Access& found = all[static_cast<std::size_t>(finding.nth) - 1];
    if (!has_name || named(found)) return found;
  }
  if (has_name) std::erase_if(all, [&](const Access& a) { return !named(a); });
  if (all.size() != 1) return std::nullopt;
  return all.front();
}

/// The call of the API that the finding is about, where the line has one such.
std::optional<Access> call_of(const sim::Finding& finding, std::string_view code, std::size_t end) {
  const auto* const called = sim::first_operand<sim::ApiCall>(finding.message);
  if (called == nullptr) return std::nullopt;
  const std::string& name = called->name;
  const std::string_view line = code.substr(0, end);
  const std::size_t at = line.find(name + "(");
  if (at == line.npos || line.find(name + "(", at + 1) != line.npos) return std::nullopt;
  Access call;
  call.begin = at;
  call.end = std::min(end, closed(code, at + name.size()));
  return call;
}

}  // namespace

Marked marked_by(const sim::Finding& finding, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  const std::size_t first = lines[0].find_first_not_of(' ');
  if (first == std::string::npos) return {};
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const std::string code = code_of(text);
  const std::size_t begin =
      finding.column > 0 ? std::min(static_cast<std::size_t>(finding.column), lines[0].size()) - 1 : first;
  const std::size_t end = statement_end(code, begin);
  if (is_access_kind(finding.kind) && finding.inside.line == 0) {  // else the line is that of a call
    if (const auto access = access_of(finding, accesses_in(code, begin, end))) {
      Marked marked{0, access->begin, access->end - access->begin, true};
      while (marked.begin > lines[marked.line].size()) marked.begin -= lines[marked.line++].size() + 1;
      marked.length = std::min(marked.length, lines[marked.line].size() - marked.begin);
      return marked;
    }
  }
  if (const auto call = call_of(finding, code, lines[0].size()))
    return {0, call->begin, call->end - call->begin, false};
  std::size_t stop = std::min({end, lines[0].size(), std::max(code.find('{', begin), begin + 1)});
  while (stop > begin + 1 && (code[stop - 1] == ' ')) --stop;
  return {0, begin, std::max<std::size_t>(1, stop - begin), false};
}

}  // namespace ladder::cli
