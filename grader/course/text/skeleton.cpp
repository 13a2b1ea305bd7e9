#include "grader/course/text/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grader/course/text/text_diff.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

enum class Marker { none, begin, end, malformed };

Marker marker(std::string_view line) {
  const std::string_view text = trim(line);
  if (text == "// BEGIN SOLUTION") return Marker::begin;
  if (text == "// END SOLUTION") return Marker::end;
  // A near miss would leak the solution into the skeleton, so it is an error and not ordinary text.
  const bool near = text.find("BEGIN SOLUTION") != std::string_view::npos ||
                    text.find("END SOLUTION") != std::string_view::npos;
  return near ? Marker::malformed : Marker::none;
}

/// Calls use(line with its end, marker, number from 1) for each line.
template <class Use>
void for_lines(std::string_view text, Use use) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    use(line, marker(line), number);
    text.remove_prefix(line.size());
  }
}

/// The words of a comment line, or nullopt-like npos where the line is code.
bool comment_words(std::string_view line, std::string_view& words) {
  const std::string_view text = trim(line);
  if (!text.starts_with("//")) return false;
  words = trim(text.substr(
      text.find_first_not_of('/') == std::string_view::npos ? text.size() : text.find_first_not_of('/')));
  return true;
}

/// Reads the n of "TODO(n)"; 0 where the words are something else.
int todo_number(std::string_view words) {
  if (!words.starts_with("TODO(")) return 0;
  int number = 0;
  for (const char c : words.substr(5)) {
    if (c == ')') return number;
    if (!std::isdigit(static_cast<unsigned char>(c)) || number > 999) return 0;
    number = number * 10 + (c - '0');
  }
  return 0;
}

/// Whether something was written below line @p at of a difference; blank lines between do not hide it.
bool changed_below(const std::vector<DiffLine>& diff, std::size_t at) {
  bool adjacent = true;
  for (std::size_t i = at + 1; i < diff.size(); ++i) {
    const bool blank = trim(diff[i].text).empty();
    if (diff[i].kind == DiffLine::Kind::added && !blank) return true;
    // A line that was replaced right below the task is an answer to it; one further down belongs to the next.
    if (diff[i].kind == DiffLine::Kind::removed) return adjacent;
    if (!blank) return false;
    adjacent = false;
  }
  return false;
}

}  // namespace

Skeleton make_skeleton(std::string_view solution) {
  Skeleton skeleton;
  int open_line = 0;
  for_lines(solution, [&](std::string_view line, Marker kind, int number) {
    const auto problem = [&](std::string message) {
      skeleton.problems.push_back({number, std::move(message)});
    };
    switch (kind) {
      case Marker::begin:
        if (open_line != 0)
          problem(fmt::format("BEGIN SOLUTION inside the region begun at line {}", open_line));
        open_line = number;
        ++skeleton.regions;
        break;
      case Marker::end:
        if (open_line == 0) problem("END SOLUTION without a BEGIN SOLUTION above it");
        open_line = 0;
        break;
      case Marker::malformed:
        problem("a marker must stand alone on its line, exactly `// BEGIN SOLUTION` or `// END SOLUTION`");
        break;
      case Marker::none:
        if (open_line == 0) skeleton.text += line;
        break;
    }
  });
  if (open_line != 0)
    skeleton.problems.push_back({open_line, "BEGIN SOLUTION without an END SOLUTION below it"});
  return skeleton;
}

std::string without_markers(std::string_view solution) {
  std::string text;
  for_lines(solution, [&](std::string_view line, Marker kind, int) {
    if (kind == Marker::none) text += line;
  });
  return text;
}

std::vector<Todo> find_todos(std::string_view source) {
  std::vector<Todo> todos;
  bool inside = false;
  for_lines(source, [&](std::string_view line, Marker kind, int number) {
    std::string_view words;
    if (kind != Marker::none || !comment_words(line, words)) {
      inside = false;
    } else if (const int n = todo_number(words); n > 0) {
      const std::size_t colon = words.find(')') + 1;
      std::string_view rest = words.substr(colon);
      if (rest.starts_with(':')) rest.remove_prefix(1);
      todos.push_back({n, number, number, std::string(trim(rest))});
      inside = true;
    } else if (inside) {
      todos.back().last_line = number;
      if (!words.empty()) todos.back().text += fmt::format(" {}", words);
    }
  });
  return todos;
}

std::string without_todos(std::string_view source) {
  const std::vector<Todo> todos = find_todos(source);
  std::string text;
  for_lines(source, [&](std::string_view line, Marker, int number) {
    const auto holds = [&](const Todo& todo) { return todo.line <= number && number <= todo.last_line; };
    if (std::none_of(todos.begin(), todos.end(), holds)) text += line;
  });
  return text;
}

std::vector<Todo> open_todos(std::string_view skeleton, std::string_view student) {
  const std::vector<DiffLine> diff = diff_lines(split_lines(skeleton), split_lines(student));
  std::vector<Todo> open;
  for (Todo todo : find_todos(skeleton)) {
    bool touched = false;
    int student_line = 0;
    // A task is touched where one of its comment's lines went, or where something was added inside it or
    // right below it.
    for (std::size_t i = 0; i < diff.size() && !touched; ++i) {
      const DiffLine& line = diff[i];
      const bool in_comment = line.old_line >= todo.line && line.old_line <= todo.last_line;
      if (!in_comment) continue;
      if (line.kind == DiffLine::Kind::removed) touched = true;
      if (line.old_line == todo.line) student_line = line.new_line;
      touched = touched || changed_below(diff, i);
    }
    if (touched) continue;
    todo.last_line += student_line - todo.line;
    todo.line = student_line;
    open.push_back(std::move(todo));
  }
  return open;
}

}  // namespace ladder::cli
