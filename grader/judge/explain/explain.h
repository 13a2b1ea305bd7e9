// The words for everything that can go wrong before values are compared.
#pragma once

#include <string>

#include "grader/judge/remote_worker.h"
#include "grader/protocol/protocol.h"
#include "grader/protocol/verdict.h"

namespace ladder {

/// A failure in words; becomes the headline, detail and advice of a Verdict.
struct Words {
  Outcome outcome = Outcome::passed;
  std::string headline, detail, advice;
  std::string diagnosis{};  ///< for programs: see Verdict::diagnosis
};

/// The process ended instead of answering.
Words explain_ending(const Ending& ending);

/// A CUDA error was returned, left behind or met on synchronising, or an exception left the rung.
/// @return outcome passed when the reply reports no error
Words explain_errors(const RunReply& reply);

/// The simulator saw something wrong.
/// @return outcome passed when there is no finding of severity error
Words explain_findings(const std::vector<sim::Finding>& findings);

/// Both together: findings tell more than the errors that follow from them.
Words explain_reply(const RunReply& reply);

/// The module or the lesson could not be loaded.
/// @param failure  {"failed", "message", "symbol", "instead"} from the worker
/// @param machine  whose CUDA runtime may lack a function
Words explain_load(const nlohmann::json& failure, Machine machine);

}  // namespace ladder
