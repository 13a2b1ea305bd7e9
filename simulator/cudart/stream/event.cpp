// Events.
#include <algorithm>
#include <unordered_set>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_handles.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/report/open_objects.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {
namespace {

std::unordered_set<const CUevent_st*>& live_events() {
  static auto& all = *new std::unordered_set<const CUevent_st*>;
  return all;
}

}  // namespace

bool is_live(const CUevent_st* event) { return live_events().contains(event); }

CUevent_st& event_of(cudaEvent_t handle) {
  require(is_live(handle), cudaErrorInvalidResourceHandle);
  return *handle;
}

}  // namespace sim::cudart

using namespace sim::cudart;

namespace {

/// An event that was recorded in a capture stands for no moment: asking for it ends the capture. So does
/// waiting for another one, where the capture's mode says so.
void forbid_captured(const CUevent_st& event) {
  Graph* const capture = capture_of(event);
  if (!capture) return forbid_beside_captures();
  capture->invalidate();
  throw ApiError{cudaErrorCapturedEvent};
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Device& d) {
    require(event && flags <= 7);
    require(!(flags & cudaEventInterprocess) || (flags & cudaEventDisableTiming));
    may_fail("cudaEventCreate");
    d.clock.host_spends(500);
    auto* fresh = new CUevent_st;
    fresh->flags = flags;
    live_events().insert(fresh);
    opened(Object::event, fresh);
    *event = fresh;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api([&](Device&) {
    CUevent_st& event = event_of(handle);
    live_events().erase(&event);
    closed(Object::event, &event);
    delete &event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
  return api([&](Device& d) {
    require(flags <= cudaEventRecordExternal);
    CUevent_st& event = event_of(handle);
    CUstream_st& stream = stream_of(stream_handle);
    d.clock.host_spends(300);
    event.capture = stream.capture;
    if (stream.capture) {
      event.captured_after = stream.captured_last;
    } else if (!stream.device->failed()) {
      const auto record = [&event](CUstream_st& on) {
        if (!is_live(&event)) return;
        event.time = on.device->clock.earliest(on);
        record_event(event, on);
      };
      event.recorded = true;
      event.deferred_record = must_defer(stream) ? defer(stream, record) : nullptr;
      if (event.deferred_record == nullptr) record(stream);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api([&](Device& d) {
    const CUevent_st& event = event_of(handle);
    forbid_captured(event);
    d.clock.host_spends(kWaitNs);
    wait_for_deferred(event.deferred_record);
    d.host_waits_until(event.recorded ? event.time : 0);
    host_waited_for(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api([&](Device& d) {
    const CUevent_st& event = event_of(handle);
    forbid_captured(event);
    d.clock.host_spends(kQueryNs);
    poll_deferred();
    if (is_pending(event.deferred_record)) return cudaErrorNotReady;
    if (event.recorded && event.time > d.clock.host()) return cudaErrorNotReady;
    d.host_waits_until(0);
    host_waited_for(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from_handle, cudaEvent_t to_handle) {
  return api([&](Device& d) {
    const CUevent_st& from = event_of(from_handle);
    const CUevent_st& to = event_of(to_handle);
    require(ms);
    require(!capture_of(from) && !capture_of(to), cudaErrorCapturedEvent);
    const bool timed = !((from.flags | to.flags) & cudaEventDisableTiming);
    require(timed && from.recorded && to.recorded, cudaErrorInvalidResourceHandle);
    if (is_pending(from.deferred_record) || is_pending(to.deferred_record)) return cudaErrorNotReady;
    if (std::max(from.time, to.time) > d.clock.host()) return cudaErrorNotReady;
    *ms = static_cast<float>((to.time - from.time) * 1e-6);
    return cudaSuccess;
  });
}

}  // extern "C"
