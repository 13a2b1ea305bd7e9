// The judge: runs rungs through a lesson's cases, times them, and has the last word.
#pragma once

#include <functional>

#include "grader/judge/apart.h"
#include "grader/judge/remote_worker.h"
#include "grader/protocol/events.h"
#include "grader/protocol/request.h"

namespace ladder {

/// Takes events as they happen.
using EventSink = std::function<void(const Event&)>;

/// Judges all rungs and baselines.
/// @return exit status: 0, or 3 when there is no device
/// @throws std::runtime_error when the lesson cannot be loaded
int judge(const RunRequest& request, const EventSink& emit);

}  // namespace ladder
