// What `ladder litmus` finds out about a kernel: the executions that the memory model allows, as plain data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sim {

/// One operation of an execution, in the order in which the threads' operations are listed.
struct LitmusStep {
  int thread = 0;           ///< index into LitmusRecord::threads
  std::string kind;         ///< "read", "write", "fence", "proxy fence", "arrive", "wait"
  std::string instruction;  ///< as the PTX spells it
  std::string file;
  int line = 0;
  std::string location, value;  ///< of reads and writes
  /// Of reads: the step whose value it returns. kInitial: what memory began with. Of others kNone.
  int reads_from = kNone;
  static constexpr int kNone = -2, kInitial = -1;
};

/// What a run of the program's host code said of a final state.
enum class LitmusVerdict : std::uint8_t { holds, fails };

/// One final state of memory.
struct LitmusOutcome {
  std::vector<std::string> values{};  ///< by LitmusRecord::locations
  std::string failure{};              ///< what ended the kernel, a sentence; empty: nothing did
  std::uint64_t executions = 0;       ///< that lead there, or candidates where none is allowed
  bool allowed = false;
  std::vector<std::string> broken{};  ///< axioms, where it is not: by the candidate that breaks fewest
  LitmusVerdict verdict = LitmusVerdict::holds;
  std::string said{};               ///< by the program, where it fails
  std::vector<LitmusStep> steps{};  ///< one execution that leads there
};

struct LitmusRace {
  std::string location;
  std::string file, other_file;
  int line = 0, other_line = 0;
};

struct LitmusRecord {
  std::string kernel;
  std::vector<std::string> threads;    ///< "block 0, thread 0"
  std::vector<std::string> locations;  ///< of global memory that the kernel may write
  std::vector<LitmusOutcome> outcomes;
  std::vector<LitmusRace> races;
  std::uint64_t candidates = 0;  ///< executions that were looked at
  std::uint64_t given_up = 0;    ///< ways of a thread that turn a loop too often, and were left out
  std::string refused;           ///< why the kernel was not explored; empty: it was
};

void to_json(nlohmann::json& json, const LitmusRecord& record);
/// Absent keys keep their defaults. @throws nlohmann::json::exception on a value of the wrong type
void from_json(const nlohmann::json& json, LitmusRecord& record);

}  // namespace sim
