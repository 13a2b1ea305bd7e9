#include "simulator/cudart/stream/deferred_work.h"

#include <algorithm>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/stream/deferred_queue.h"

namespace sim::cudart {

bool must_defer(CUstream_st& stream) { return !deferred_queue().predecessors_of_next(stream).empty(); }

bool is_pending(const WorkHandle& work) {
  return work != nullptr && work->state != DeferredWork::State::done;
}

bool any_pending() { return !deferred_queue().empty(); }

void run_now(CUstream_st& stream, const Operation& operation) {
  WorkHandle& current = deferred_queue().current;
  const WorkHandle outer = std::exchange(current, nullptr);
  try {
    operation(stream);
  } catch (...) {
    current = outer;
    throw;
  }
  current = outer;
}

WorkHandle defer(CUstream_st& stream, Operation operation, const WorkHandle& also) {
  DeferredQueue& queue = deferred_queue();
  std::vector<WorkHandle> predecessors = queue.predecessors_of_next(stream);
  if (is_pending(also)) predecessors.push_back(also);
  const WorkHandle work = queue.add(stream);
  work->predecessors = std::move(predecessors);
  work->operations.push_back(std::move(operation));
  return work;
}

void suspend(CUstream_st& stream, std::unique_ptr<SuspendedLaunch> kernel) {
  WorkHandle& current = deferred_queue().current;
  if (current == nullptr) {  // the operation was not deferred: its kernel is what others come behind
    current = deferred_queue().add(stream);
    current->state = DeferredWork::State::suspended;
    current->stream_knows = true;
  }
  current->kernel = std::move(kernel);
  start_polling();
}

bool has_suspended() {
  const WorkHandle& current = deferred_queue().current;
  return current != nullptr && current->kernel != nullptr;
}

void run_behind(CUstream_st& stream, const Operation& operation) {
  has_suspended() ? deferred_queue().current->operations.push_back(operation) : operation(stream);
}

std::vector<WorkHandle> blocked_on_caller(const Device& device) {
  DeferredQueue& queue = deferred_queue();
  std::vector<WorkHandle> found;
  if (queue.empty() || queue.runs_operation() || has_other_threads()) return found;
  queue.advance(0);  // what has been written by now, they see
  std::copy_if(queue.all().begin(), queue.all().end(), std::back_inserter(found),
               [&](const WorkHandle& work) {
                 return work->device == &device && work->kernel != nullptr && work->kernel->is_blocked();
               });
  return found;
}

void lazy_load_ran(const LazyLoad& load) {
  for (const WorkHandle& work : load.suspended)
    if (work->kernel != nullptr) work->kernel->lazy_load_ran(load);
}

}  // namespace sim::cudart
