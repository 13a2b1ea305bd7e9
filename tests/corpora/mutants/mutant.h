// A wrong kernel of a lesson: a finished rung with a mistake put in, and what the grader must say of it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ladder::test {

/// One file tests/corpora/mutants/lessons/NN_name/MUTANT.toml; lessons/README.md describes the keys.
struct Mutant {
  std::string name;       ///< the file's stem: "no_guard"
  std::string rung;       ///< the solution that it spoils: "2_fused"
  std::string outcome;    ///< as to_string(Outcome) says it
  std::string diagnosis;  ///< as Verdict::diagnosis has it; empty: not pinned
  std::string line;       ///< part of the source line that the leading finding names; empty: not pinned
  std::vector<std::string> words;  ///< all of them in headline, detail or advice
  std::vector<std::pair<std::string, std::string>>
      edits;               ///< what to find in the solution, what to put there
  bool all_cases = false;  ///< not the quick ones alone
  bool timed = false;      ///< the quick ones, and the size that is timed

  /// Under which the grader runs it: "2_fused.no_guard".
  std::string module() const { return rung + "." + name; }
};

/// @throws std::runtime_error naming the file, when a key is missing, unknown or of the wrong type
Mutant read_mutant(const std::filesystem::path& file);

/// The solution with the mistake put in.
/// @throws std::runtime_error when a text to find is not there exactly once: the solution has changed
std::string spoilt(const Mutant& mutant, std::string solution);

}  // namespace ladder::test
