#include "simulator/cudart/stream/modelled_clock.h"

#include <algorithm>

namespace sim::cudart {

void ModelledClock::remove(Timeline* stream) {
  removed_done_ = std::max(removed_done_, stream->ready);
  std::erase(streams_, stream);
}

double ModelledClock::earliest(const Timeline& stream) const {
  double start = std::max(host_, stream.ready);
  if (&stream == &legacy_) {
    for (const Timeline* other : streams_) {
      if (other->blocking) start = std::max(start, other->ready);
    }
  } else if (stream.blocking) {
    start = std::max(start, legacy_.ready);
  }
  return start;
}

/// The first moment from which the running kernels leave room for @p demand.
double ModelledClock::fits_from(double start, double demand) {
  while (!running_.empty() && running_.front().end <= host_) running_.pop_front();
  for (;;) {
    double used = 0, next_end = 0;
    for (auto r = ends_after(start); r != running_.end(); ++r) {
      if (r->start > start) continue;
      used += r->demand;
      if (next_end == 0) next_end = r->end;
    }
    if (used + demand <= 1.0001 || next_end == 0) return start;
    start = next_end;
  }
}

std::deque<ModelledClock::Running>::iterator ModelledClock::ends_after(double moment) {
  return std::upper_bound(running_.begin(), running_.end(), moment,
                          [](double at, const Running& r) { return at < r.end; });
}

double ModelledClock::run(Timeline& stream, Engine engine, double duration_ns, double demand) {
  double start = earliest(stream);
  if (engine == Engine::to_device || engine == Engine::to_host) {
    double& free = copy_engine_free_[engine == Engine::to_host];
    start = std::max(start, free);
    free = start + duration_ns;
  } else if (engine == Engine::compute) {
    start = fits_from(start, demand);
    running_.insert(ends_after(start + duration_ns), {start, start + duration_ns, demand});
  }
  stream.ready = start + duration_ns;
  return stream.ready;
}

double ModelledClock::all_done() const {
  double done = removed_done_;
  for (const Timeline* stream : streams_) done = std::max(done, stream->ready);
  return done;
}

}  // namespace sim::cudart
