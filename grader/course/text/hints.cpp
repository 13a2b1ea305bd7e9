#include "grader/course/text/hints.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace ladder::cli {
namespace {

std::vector<StagedHint> hints_for(const RungInfo& rung, int todo) {
  std::vector<StagedHint> hints;
  for (const Hint& hint : rung.hints)
    if (hint.todo == todo) hints.push_back({&hint, static_cast<int>(hints.size()) + 1, 0});
  for (StagedHint& hint : hints) hint.count = static_cast<int>(hints.size());
  return hints;
}

void append(std::vector<StagedHint>& to, std::vector<StagedHint> more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<StagedHint> all_hints(const RungInfo& rung) {
  std::set<int> todos = {0};
  for (const Hint& hint : rung.hints) todos.insert(hint.todo);
  std::vector<StagedHint> all;
  for (const int todo : todos) append(all, hints_for(rung, todo));
  return all;
}

std::vector<StagedHint> offered_hints(const RungInfo& rung, const std::vector<Todo>& open,
                                      std::optional<int> todo) {
  if (todo) return hints_for(rung, *todo);
  if (open.empty()) return all_hints(rung);
  std::vector<StagedHint> offered = hints_for(rung, 0);
  for (const Todo& task : open) {
    const std::vector<StagedHint> own = hints_for(rung, task.number);
    if (own.empty()) continue;
    append(offered, own);
    break;
  }
  return offered.empty() ? all_hints(rung) : offered;
}

std::optional<NextHint> next_hint(const std::vector<StagedHint>& offered, const HintsShown& shown) {
  if (offered.empty()) return std::nullopt;
  const auto is_new = [&](const StagedHint& at) { return at.stage > shown(at.hint->todo); };
  const auto first = std::find_if(offered.begin(), offered.end(), is_new);
  if (first == offered.end()) return NextHint{offered.back(), 0};
  return NextHint{*first, static_cast<int>(std::count_if(std::next(first), offered.end(), is_new))};
}

std::optional<int> other_todo_with_hints(const RungInfo& rung, const std::vector<Todo>& open, int todo,
                                         const HintsShown& shown) {
  for (const Todo& task : open)
    if (task.number != todo && shown(task.number) < static_cast<int>(hints_for(rung, task.number).size()))
      return task.number;
  return std::nullopt;
}

}  // namespace ladder::cli
