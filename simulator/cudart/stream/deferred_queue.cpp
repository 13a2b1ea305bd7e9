#include "simulator/cudart/stream/deferred_queue.h"

#include <algorithm>
#include <utility>

#include "simulator/cudart/device/device.h"

namespace sim::cudart {

using State = DeferredWork::State;

DeferredQueue& deferred_queue() {
  static DeferredQueue& only = *new DeferredQueue;
  return only;
}

WorkHandle DeferredQueue::add(CUstream_st& stream) {
  auto work = std::make_shared<DeferredWork>();
  work->stream = &stream;
  work->device = stream.device;
  works_.push_back(work);
  stream.last_deferred = work;
  return work;
}

std::vector<WorkHandle> DeferredQueue::predecessors_of_next(CUstream_st& stream) const {
  std::vector<WorkHandle> found;
  if (empty()) return found;
  const auto add = [&](const CUstream_st& s) {
    if (is_pending(s.last_deferred)) found.push_back(s.last_deferred);
  };
  add(stream);
  if (!stream.blocking) return found;
  CUstream_st& legacy = stream.device->default_stream;
  if (&stream != &legacy) {
    add(legacy);
  } else {
    each_stream([&](CUstream_st& other) {
      if (&other != &legacy && other.blocking && other.device == stream.device) add(other);
    });
  }
  return found;
}

/// Runs operations until one suspends a kernel or none is left. On a device that has failed they are dropped.
void DeferredQueue::run(const WorkHandle& work) {
  const OnDevice on(*work->device);
  const WorkHandle outer = std::exchange(current, work);
  const bool in_operation = std::exchange(runs_operation_, true);
  work->state = State::running;
  while (work->kernel == nullptr && !work->operations.empty()) {
    const Operation operation = std::move(work->operations.front());
    work->operations.pop_front();
    if (work->device->failed()) continue;
    try {
      if (!std::exchange(work->stream_knows, true)) begin_operation(*work->stream);
      operation(*work->stream);
    } catch (...) {
      work->device->pending = current_exception_code();
    }
  }
  work->state = work->kernel == nullptr ? State::done : State::suspended;
  runs_operation_ = in_operation;
  current = outer;
}

/// Whether the work's next operation may run: its kernel has ended, or its predecessors are done.
bool DeferredQueue::is_ready(DeferredWork& work, std::uint64_t weight) const {
  if (work.kernel == nullptr || work.device->failed())
    return std::none_of(work.predecessors.begin(), work.predecessors.end(), is_pending);
  const OnDevice on(*work.device);
  work.state = State::running;
  const bool ended = work.kernel->resume(weight);
  work.state = State::suspended;
  return ended;
}

bool DeferredQueue::advance(std::uint64_t weight) {
  bool moved = false;
  ++advance_depth_;
  for (std::size_t i = 0; i < works_.size(); ++i) {  // operations may append to it
    const WorkHandle work = works_[i];
    if (work->state == State::done || work->state == State::running || !is_ready(*work, weight)) continue;
    work->kernel.reset();
    run(work);
    moved = true;
  }
  if (--advance_depth_ == 0)
    std::erase_if(works_, [](const WorkHandle& work) { return work->state == State::done; });
  return moved;
}

bool DeferredQueue::only_waits() const {
  return std::none_of(works_.begin(), works_.end(), [](const WorkHandle& work) {
    return work->kernel != nullptr && !work->kernel->is_blocked();
  });
}

}  // namespace sim::cudart
