// What nvcc and the host compiler say, cut to what concerns a student's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct CompilerMessage {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  int line = 0;         ///< in the student's file; 0 where no line of it is to blame
  std::string text;     ///< "identifier \"q\" is undefined"
  std::string source;   ///< the line of source as the compiler showed it, or empty
  int caret = -1;       ///< column in @ref source, from 0, that the compiler pointed at
  std::string through;  ///< the header the message arose in, where that is not the student's file
};

/// Reads a compiler's output.
/// @param lines  nvcc's (`file(12): error: …`) or gcc's and clang's (`file:12:5: error: …`) messages
/// @param file   the student's file, as it was given to the compiler
/// @return errors and warnings that concern @p file, in order: those at a line of it, and those in a header
/// that a line
///         of it led to, which are put at that line. Linker's and ptxas' errors have line 0.
std::vector<CompilerMessage> read_compiler_output(const std::vector<std::string>& lines,
                                                  std::string_view file);

/// Whether some error is told of a line of some file, as a compiler does that has read it.
bool says_where(const std::vector<std::string>& lines);

/// Whether some line speaks of a machine without room, memory or processes. A source may say so as well.
bool tells_of_trouble(const std::vector<std::string>& lines);

/// The output of one build step that failed.
struct FailedStep {
  std::string output;              ///< the file that was to be made
  std::vector<std::string> lines;  ///< what the step printed, without its command line
};

/// Cuts the output of ninja or make into failed steps. Steps that went well are left out.
std::vector<FailedStep> failed_steps(const std::vector<std::string>& lines);

}  // namespace ladder::cli
