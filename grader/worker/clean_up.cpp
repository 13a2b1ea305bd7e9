#include "grader/worker/clean_up.h"

#include <algorithm>

#include "grader/worker/worker.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

sim::Finding leak(const sim::OpenObjects& before, const sim::OpenObjects& after) {
  sim::Finding f;
  f.kind = sim::FindingKind::leak;
  f.symbol = after.made_by;
  const sim::Message size = after.bytes > before.bytes
                                ? sim::Message(", of {} bytes,", after.bytes - before.bytes)
                                : sim::Message();
  const std::uint64_t more = after.count - before.count;
  f.message = more == 1 ? sim::Message(
                              "A second call with the same extents has made 1 more by {}{} and not given it "
                              "back; so does every further call.",
                              after.made_by, size)
                        : sim::Message(
                              "A second call with the same extents has made {} more by {}{} and not given "
                              "them back; so does every further call.",
                              more, after.made_by, size);
  f.cure = {sim::Cure::give_back_in_function, {after.given_back_by}};
  return f;
}

sim::Finding reset() {
  sim::Finding f;
  f.kind = sim::FindingKind::free;
  f.symbol = "cudaDeviceReset()";
  f.message =
      tr("cudaDeviceReset() destroys everything that the process has on the device, also the arrays, streams "
         "and events of "
         "the caller: they belong to the caller, not to the function.");
  f.cure = sim::Cure::free_own_only;
  return f;
}

}  // namespace

bool came_to_its_end(const WorkerReply& reply) {
  return succeeded(reply) && std::none_of(reply.findings.begin(), reply.findings.end(),
                                          [](const auto& f) { return f.severity == sim::Severity::error; });
}

std::vector<sim::Finding> CleanUp::end(bool whole) {
  if (was_reset()) return {reset()};
  if (!whole) return {};
  std::vector<sim::Finding> found;
  std::vector<sim::OpenObjects> now = device().open_objects();
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (now[i].count > before_[i].count) {
      found.push_back(leak(before_[i], now[i]));
      device().say_where_newest_was_made(found.back(), i);
    }
  before_ = std::move(now);
  return found;
}

}  // namespace ladder
