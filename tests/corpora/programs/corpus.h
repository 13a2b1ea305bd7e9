// The programs of this folder, what each is expected to be accused of, and what `ladder sim` says of it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "simulator/report/finding.h"

namespace corpus {

/// One CASE of a file. The comment `// expect: KIND [SPACE]` opens a defective one (alternatives joined by
/// `|`), and every line that is right to name ends in `// <- ...`. A correct program has no such comment.
struct Program {
  std::string file;  ///< relative to the folder of programs, such as "defective/race_shared.cu"
  std::string name;
  std::vector<std::string> kinds;   ///< empty: a correct program
  std::vector<std::string> spaces;  ///< empty: any
  std::vector<int> lines;
  std::string wrong;         ///< what is wrong, in a sentence
  std::string architecture;  ///< that the file needs, such as "90a"; mostly empty

  bool defective() const { return !kinds.empty(); }
};

/// All programs below @p folder, by file and by place in it.
/// @throws std::runtime_error naming the place, where an expectation is incomplete
std::vector<Program> read_programs(const std::filesystem::path& folder);

/// What a run of `ladder sim --json` left.
struct Run {
  int exit_code = 0;  ///< of `ladder sim`
  std::vector<sim::Finding> findings;
  std::string json;    ///< the report
  std::string output;  ///< what program and findings printed
};

/// Runs one program on the simulator.
/// @param ladder  the command line's binary
/// @throws std::runtime_error where no report was left
Run run(const std::filesystem::path& ladder, const std::filesystem::path& folder, const Program& program);

/// A run against what was expected.
struct Judgement {
  bool kind = false;                     ///< an error of the expected kind (and space) was found
  bool line = false;                     ///< and such a one at an expected line
  std::vector<std::string> accusations;  ///< errors of another kind or at another line
  bool right(const Program& program) const {
    return accusations.empty() && (!program.defective() || (kind && line));
  }
};

Judgement judge(const Program& program, const Run& run);

/// One line about a finding: "race shared race_shared.cu:12 (other 13)".
std::string brief(const sim::Finding& finding);

}  // namespace corpus
