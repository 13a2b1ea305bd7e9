#include "grader/run/results_in_order.h"

#include <algorithm>
#include <utility>

namespace ladder::cli {

void ResultsInOrder::take(RungResult next) {
  flush_before(next.rung);
  emit(std::move(next));
}

void ResultsInOrder::flush_before(const RungInfo* rung) {
  for (const RungInfo* candidate : selection_.rungs) {
    if (candidate == rung) return;
    const auto found = std::find_if(refused_.begin(), refused_.end(),
                                    [&](const RungResult& r) { return r.rung == candidate; });
    if (found == refused_.end()) continue;
    RungResult next = std::move(*found);
    refused_.erase(found);
    emit(std::move(next));
  }
}

void ResultsInOrder::emit(RungResult next) {
  if (events_.rung) events_.rung(next);
  result_.rungs.push_back(std::move(next));
}

}  // namespace ladder::cli
