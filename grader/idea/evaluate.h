// Whether a rung that is right works by its own idea.
#pragma once

#include <optional>

#include "grader/idea/condition.h"
#include "grader/protocol/verdict.h"

namespace ladder::idea {

/// Holds a rung's idea against what its timed call did, and nothing else.
/// @param verdict  of a rung that passed
/// @return nothing where the rung has no condition, or the verdict no counters: it was not timed, or on a GPU
std::optional<IdeaResult> evaluate(const Idea& idea, const Verdict& verdict);

/// Evaluates, and notes the result; a rung that passed without its idea becomes Outcome::idea_missing.
/// @param rung     its number, for the headline
/// @param counted  the same rung's verdict on the simulator, where @p verdict is from a GPU, which counts
/// nothing
void judge(const Idea& idea, int rung, const Verdict& counted, Verdict& verdict);
void judge(const Idea& idea, int rung, Verdict& verdict);

}  // namespace ladder::idea
