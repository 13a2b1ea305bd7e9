// A wrong kernel of a lesson: a finished rung with a mistake put in, what the grader must say of it, and what
// there is to learn from it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::hunt {

/// What a student who hunts for the mistake calls it.
enum class Kind {
  race,
  bounds,
  uninitialised,
  barrier,
  alignment,
  launch,
  index,
  coverage,
  arithmetic,
  host
};
const char* to_string(Kind kind);
std::optional<Kind> kind_from(std::string_view name);
const std::vector<Kind>& all_kinds();

/// What makes a mutant an exercise of `ladder hunt`.
struct Lesson {
  Kind kind = Kind::race;
  std::string learn;  ///< what goes wrong, how it shows, what to remember
  std::string hint;   ///< narrows the search without naming the line
};

/// One file tests/corpora/mutants/lessons/NN_name/MUTANT.toml; lessons/README.md describes the keys.
struct Mutant {
  std::string name;       ///< the file's stem: "no_guard"
  std::string rung;       ///< the solution that it spoils: "2_fused"
  std::string outcome;    ///< as to_string(Outcome) says it
  std::string diagnosis;  ///< as Verdict::diagnosis has it; empty: not pinned
  std::string line;       ///< part of the source line that the leading finding names; empty: not pinned
  std::vector<std::string> words;  ///< all of them in headline, detail or advice
  std::vector<std::pair<std::string, std::string>>
      edits;                        ///< what to find in the solution, what to put there
  bool all_cases = false;           ///< not the quick ones alone
  bool timed = false;               ///< the quick ones, and the size that is timed
  std::optional<Lesson> hunt = {};  ///< nothing where it is no exercise

  /// Under which the grader runs it: "2_fused.no_guard".
  std::string module() const { return rung + "." + name; }
};

/// @throws std::runtime_error naming the file, when a key is missing, unknown or of the wrong type
Mutant read_mutant(const std::filesystem::path& file);

/// The solution with the mistake put in.
/// @throws std::runtime_error when a text to find is not there exactly once: the solution has changed
std::string spoilt(const Mutant& mutant, std::string solution);

/// The same with what each edit put in between two marks, for who wants to know where that lies.
std::string spoilt(const Mutant& mutant, std::string solution, std::string_view before,
                   std::string_view behind);

}  // namespace ladder::hunt
