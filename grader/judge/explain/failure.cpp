#include "grader/judge/explain/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "language/catalogue.h"

namespace ladder {
namespace {

std::int64_t threads_of(const std::vector<sim::KernelRecord>& kernels) {
  if (kernels.empty()) return 0;
  const auto& block = kernels.back().block;
  return static_cast<std::int64_t>(block[0]) * block[1] * block[2];
}

}  // namespace

std::int64_t volume(const Case& which) {
  std::int64_t product = 1;
  for (const auto& [name, extent] : which.extents)
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product)) return INT64_MAX;
  return product;
}

diagnose::Evidence evidence_of(const Failure& failure) {
  const auto buffers = failure.prepared->problem.buffers();
  const CaseResult& result = failure.result;
  return {
      .buffer = buffers[result.buffer],
      .got = result.got,
      .poison = result.poison,
      .wrong = result.wrong,
      .other = result.other,
      .other_poison = result.poison >= 0 ? result.other_poison : -1,
      .again = result.again,
      .again_poison = result.again_poison,
      .buffers = buffers,
      .scalars = failure.prepared->problem.scalars(),
      .block_threads = threads_of(result.kernels),
      .block_width = result.kernels.empty() ? 0 : static_cast<std::int64_t>(result.kernels.back().block[0])};
}

std::string values_in_words(const Failure& failure) {
  std::string text = failure.label() + ":\n";
  if (const std::string inputs = diagnose::inputs_in_words(failure.prepared->problem); !inputs.empty())
    text += inputs + "\n";
  return text + diagnose::picture(evidence_of(failure));
}

bool mind_empty_arrays(std::vector<sim::Finding>& findings, const Problem& problem) {
  std::string empty;
  int count = 0;
  for (const Buffer& buffer : problem.buffers())
    if (buffer.elements() == 0) {
      empty += fmt::format("{}'{}'", empty.empty() ? "" : tr(" and "), buffer.name);
      ++count;
    }
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [](const auto& f) { return f.severity == sim::Severity::error; });
  if (empty.empty() || at == findings.end() || !at->null_pointer) return false;
  const char* const done = at->access == sim::AccessKind::read ? tr("read") : tr("written");
  at->message =
      count == 1 ? sim::Message("{} has no elements in this case, and something is {} there.", empty, done)
                 : sim::Message("{} have no elements in this case, and something is {} there.", empty, done);
  at->cure = sim::Cure::skip_empty_extents;
  findings.erase(std::remove_if(at + 1, findings.end(), [](const auto& f) { return f.null_pointer; }),
                 findings.end());  // of the other empty arrays: they are named
  return true;
}

}  // namespace ladder
