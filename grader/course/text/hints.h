// Which of a rung's hints comes next: those of the rung first, then those of the first TODO that is open.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "grader/course/course.h"
#include "grader/course/text/skeleton.h"

namespace ladder::cli {

/// A hint and its place among those of the same TODO, or of the rung.
struct StagedHint {
  const Hint* hint = nullptr;
  int stage = 0;  ///< from 1
  int count = 0;  ///< of the hints that belong to the same
};

/// All of a rung's hints: those of the rung, then TODO by TODO.
std::vector<StagedHint> all_hints(const RungInfo& rung);

/// The hints that repeated calls of `ladder hint` show, one after the other: the rung's and those of the
/// first open TODO that has some; of all TODOs where none is open.
/// @param open  as open_todos() says
/// @param todo  only this TODO's
std::vector<StagedHint> offered_hints(const RungInfo& rung, const std::vector<Todo>& open,
                                      std::optional<int> todo);

/// How far a student has come with the hints of a TODO, 0: of the rung.
using HintsShown = std::function<int(int todo)>;

struct NextHint {
  StagedHint at;  ///< the first that was not shown, or the last of all
  int left = 0;   ///< how many follow it
};

/// @return nothing where @p offered is empty
std::optional<NextHint> next_hint(const std::vector<StagedHint>& offered, const HintsShown& shown);

/// The first open TODO, other than @p todo, with a hint that was not shown.
std::optional<int> other_todo_with_hints(const RungInfo& rung, const std::vector<Todo>& open, int todo,
                                         const HintsShown& shown);

}  // namespace ladder::cli
