// From a finished rung to the file a student starts with, and which of its tasks are still open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

/// A marker that has no partner, or a task that a student could not find.
struct MarkerProblem {
  int line = 0;  ///< in the solution, from 1
  std::string message;
};

/// A task of a skeleton.
struct Todo {
  int number = 0;     ///< n of TODO(n)
  int line = 0;       ///< of its first line, from 1, in the text it was found in
  int last_line = 0;  ///< of its comment
  std::string text;   ///< the whole comment, without slashes, on one line
};

struct Skeleton {
  std::string text;  ///< the solution without its BEGIN SOLUTION … END SOLUTION regions, byte for byte
  int regions = 0;   ///< how many there were
  std::vector<MarkerProblem> problems;  ///< where not empty, text must not be used
};

/// Removes every region, its two marker lines included. Line ends stay as they are.
Skeleton make_skeleton(std::string_view solution);

/// The solution as a student wants to read it: all its code, without the marker lines.
std::string without_markers(std::string_view solution);

/// All `// TODO(n): …` comments, in order; a comment goes on over following lines that are comments too.
std::vector<Todo> find_todos(std::string_view source);

/// A source without its TODO comments.
std::string without_todos(std::string_view source);

/// The tasks of @p skeleton that @p student has not touched:
/// its comment still stands and no line was added below it.
/// @return tasks with line numbers in @p student
std::vector<Todo> open_todos(std::string_view skeleton, std::string_view student);

}  // namespace ladder::cli
