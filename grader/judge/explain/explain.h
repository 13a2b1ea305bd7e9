// The words for everything that can go wrong before values are compared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grader/judge/remote_worker.h"
#include "grader/protocol/protocol.h"
#include "grader/protocol/verdict.h"

namespace ladder {

/// A failure explained; becomes the headline, detail and advice of a Verdict.
struct Explanation {
  Outcome outcome = Outcome::passed;
  std::string headline, detail, advice;
  std::string diagnosis{};               ///< for programs: see Verdict::diagnosis
  std::string status{};                  ///< the CUDA error it is about, as the runtime calls it; empty: none
  std::optional<std::size_t> finding{};  ///< which of the findings it was given it tells
  std::string failed_case{};             ///< see Verdict::failed_case
};

/// The process ended instead of answering.
Explanation explain_ending(const Ending& ending);

/// A CUDA error was returned, left behind or met on synchronising, or an exception left the rung.
/// @return outcome passed when the reply reports no error
Explanation explain_errors(const WorkerReply& reply);

/// The simulator saw something wrong.
/// @return outcome passed when there is no finding of severity error
Explanation explain_findings(const std::vector<sim::Finding>& findings);

/// Both together: findings tell more than the errors that follow from them.
Explanation explain_reply(const WorkerReply& reply);

/// The module or the lesson could not be loaded.
/// @param failure  {"failed", "message", "symbol", "instead"} from the worker
/// @param device  whose CUDA runtime may lack a function
Explanation explain_load(const nlohmann::json& failure, DeviceKind device);

}  // namespace ladder
