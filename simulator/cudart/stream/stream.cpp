#include "simulator/cudart/stream/stream.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_handles.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/report/open_objects.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {
namespace {

std::unordered_set<const CUstream_st*>& live_streams() {
  static auto& all = *new std::unordered_set<const CUstream_st*>;
  return all;
}
std::vector<CUstream_st*>& default_streams() {
  static auto& all = *new std::vector<CUstream_st*>;  ///< of threads; they live on
  return all;
}
CUstream_st& per_thread_stream() {
  thread_local std::map<const Device*, CUstream_st*> mine;
  Device& d = device();
  CUstream_st*& stream = mine[&d];
  if (!stream) {
    stream = new CUstream_st;
    stream->device = &d;
    d.clock.add(stream);
    default_streams().push_back(stream);
  }
  return *stream;
}

bool& zero_means_own() {
  thread_local bool yes = false;
  return yes;
}

CUstream_st* new_stream(unsigned flags, int priority) {
  static unsigned long long next_id = 3;  // CUDA's first after its two default streams
  auto* stream = new CUstream_st;
  stream->flags = flags;
  stream->priority = std::clamp(priority, -5, 0);
  stream->blocking = !(flags & cudaStreamNonBlocking);
  stream->id = next_id++;
  stream->device = &device();
  stream->device->clock.add(stream);
  live_streams().insert(stream);
  opened(Object::stream, stream);
  return stream;
}

}  // namespace

void each_stream(const std::function<void(CUstream_st&)>& act) {
  for (const CUstream_st* stream : live_streams()) act(const_cast<CUstream_st&>(*stream));
  for (CUstream_st* stream : default_streams()) act(*stream);
  for (int i = 0; i < device_count(); ++i) act(device(i).default_stream);
}

bool other_streams() { return !live_streams().empty() || !default_streams().empty() || device_count() > 1; }

OwnDefaultStream::OwnDefaultStream() : before_(std::exchange(zero_means_own(), true)) {}
OwnDefaultStream::~OwnDefaultStream() { zero_means_own() = before_; }

CUstream_st& stream_of(cudaStream_t handle) {
  if (handle == nullptr && zero_means_own()) return per_thread_stream();
  if (handle == nullptr || handle == cudaStreamLegacy) return device().default_stream;
  if (handle == cudaStreamPerThread) return per_thread_stream();
  require(live_streams().contains(handle), cudaErrorInvalidResourceHandle);
  return *handle;
}

namespace {

/// The legacy default stream waits for all blocking streams, and one that captures cannot be waited for.
void forbid_capture_beside() {
  for (const CUstream_st* other : live_streams()) {
    if (!other->capture || !other->blocking) continue;
    other->capture->invalidate();
    throw ApiError{cudaErrorStreamCaptureImplicit};
  }
}

}  // namespace

void submit(CUstream_st& stream, Operation operation, cudaGraphNodeType type) {
  if (stream.capture) {
    stream.capture->capture(stream, std::move(operation), type);
  } else if (!stream.device->failed()) {
    if (&stream == &stream.device->default_stream) forbid_capture_beside();
    if (must_defer(stream)) {
      defer(stream, std::move(operation));
      return;
    }
    const OnDevice guard(*stream.device);
    begin_operation(stream);
    run_now(stream, operation);
  }
}

void forbid_capture(const CUstream_st& stream) {
  if (!stream.capture) return;
  stream.capture->invalidate();
  throw ApiError{cudaErrorStreamCaptureUnsupported};
}

}  // namespace sim::cudart

CUstream_st::CUstream_st()
    : number([] {
        static std::uint64_t next = 0;
        return next++;
      }()) {}

using namespace sim::cudart;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Device& d) {
    require(stream && flags <= cudaStreamNonBlocking);
    may_fail("cudaStreamCreate");
    d.clock.host_spends(5000);
    *stream = new_stream(flags, priority);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api([&](Device&) {
    require(handle && handle != cudaStreamLegacy && handle != cudaStreamPerThread,
            cudaErrorInvalidResourceHandle);
    CUstream_st& stream = stream_of(handle);
    live_streams().erase(&stream);
    closed(Object::stream, &stream);
    stream_destroyed(stream);
    const auto end = [](CUstream_st& on) {
      on.device->clock.remove(&on);
      delete &on;
    };
    // Work that was given to it is done nevertheless.
    is_pending(stream.last_deferred) ? void(defer(stream, end)) : end(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api([&](Device& d) {
    CUstream_st& stream = stream_of(handle);
    forbid_capture(stream);
    d.clock.host_spends(kWaitNs);
    wait_for_deferred(stream);
    // The legacy default stream also stands for what it must wait for.
    Device& owner = *stream.device;
    owner.host_waits_until(&stream == &owner.default_stream ? owner.clock.earliest(stream) : stream.ready);
    host_waited_for(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api([&](Device& d) {
    CUstream_st& stream = stream_of(handle);
    forbid_capture(stream);
    d.clock.host_spends(kQueryNs);
    poll_deferred();
    if (must_defer(stream)) return cudaErrorNotReady;
    if (stream.ready > d.clock.host()) return cudaErrorNotReady;
    stream.device->host_waits_until(0);
    host_waited_for(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return api([&](Device&) {
    require(flags <= cudaEventWaitExternal);
    CUstream_st& stream = stream_of(handle);
    CUevent_st& event = event_of(event_handle);
    // Waiting for an event of a capture draws the stream into it.
    Graph* const capture = capture_of(event);
    if (capture && !stream.capture) capture->join(stream);
    if (stream.capture) {  // in a graph it is an edge, and no node
      if (capture != stream.capture) {
        stream.capture->invalidate();
        throw ApiError{cudaErrorStreamCaptureIsolation};
      }
      auto& last = stream.captured_last;
      last.insert(last.end(), event.captured_after.begin(), event.captured_after.end());
      return cudaSuccess;
    }
    const auto wait = [&event](CUstream_st& on) {
      if (!is_live(&event)) return;
      if (event.recorded) on.ready = std::max(on.ready, event.time);
      wait_for_event(on, event);
    };
    is_pending(event.deferred_record) || must_defer(stream) ? void(defer(stream, wait, event.deferred_record))
                                                            : wait(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return api([&](Device&) {
    require(flags);
    *flags = stream_of(handle).flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return api([&](Device&) {
    require(priority);
    *priority = stream_of(handle).priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return api([&](Device&) {
    require(id);
    *id = stream_of(handle).id;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Device&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return api([&](Device&) {
    require(callback && flags == 0);
    submit(
        stream_of(handle),
        [=](CUstream_st& on) {
          host_waited_for(on);
          callback(handle, cudaSuccess, data);
        },
        cudaGraphNodeTypeHost);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return api([&](Device&) {
    require(function);
    submit(
        stream_of(handle),
        [=](CUstream_st& on) {
          device().clock.run(on, Engine::none, 5000);
          host_waited_for(on);  // and whoever the function tells
          function(data);
        },
        cudaGraphNodeTypeHost);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* id) {
  return api([&](Device&) {
    require(id);
    *id = stream_of(handle).device->ordinal;
    return cudaSuccess;
  });
}

}  // extern "C"
