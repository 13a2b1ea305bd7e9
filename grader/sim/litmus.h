// A program whose kernel is explored by the memory model: what `ladder litmus` was asked, and what came back.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "grader/sim/request.h"
#include "simulator/report/litmus_record.h"

namespace ladder::cli {

struct LitmusRequest {
  SimRequest program;
  std::string kernel;             ///< whose first launch is explored; empty: the first launch of all
  std::string turns, candidates;  ///< limits, numbers as typed; empty: the simulator's own
};

/// Reads the words after `ladder litmus`. What is not its own is as for `ladder sim`.
/// @throws Failure (usage)
LitmusRequest read_litmus_request(std::vector<std::string> words);

/// What the program finds in its environment. @param record  the file that it writes
std::vector<std::pair<std::string, std::string>> litmus_settings(const LitmusRequest& request,
                                                                 const std::filesystem::path& record);

/// What the program left; nothing where it has launched no such kernel.
std::optional<sim::LitmusRecord> read_litmus_record(const std::filesystem::path& file);

/// The whole record as text.
std::string litmus_json(const sim::LitmusRecord& record);

/// Whether an execution that the model allows breaks what the program asserts.
bool any_failure(const sim::LitmusRecord& record);

}  // namespace ladder::cli
