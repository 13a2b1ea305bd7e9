// Streams and events as the program holds them. The handle types are CUDA's; what they point to is ours.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "simulator/cudart/stream/modelled_clock.h"
#include "simulator/cudart/stream/stream_races.h"

namespace sim::cudart {
class Graph;
struct Device;
struct DeferredWork;
using WorkHandle = std::shared_ptr<DeferredWork>;
}  // namespace sim::cudart

struct CUstream_st : sim::cudart::Timeline {
  CUstream_st();
  const std::uint64_t number;                   ///< of all streams there ever were
  sim::cudart::StreamVectorClock vector_clock;  ///< what its next operation comes after
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  sim::cudart::Device* device = nullptr;       ///< that it was made for
  sim::cudart::Graph* capture = nullptr;       ///< where work goes instead of the device, while capturing
  std::vector<CUgraphNode_st*> captured_last;  ///< what the next captured work comes after
  sim::cudart::WorkHandle last_deferred;       ///< the last of its work that was deferred
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  sim::cudart::StreamVectorClock vector_clock;  ///< what a stream or the host that waits for it comes after
  double time = 0;                              ///< when the work before it is done
  sim::cudart::Graph* capture = nullptr;  ///< recorded in a capture: carries it to streams that wait for it
  std::vector<CUgraphNode_st*> captured_after;  ///< and what they then come after
  sim::cudart::WorkHandle deferred_record;      ///< the recording, where that was deferred
};

namespace sim::cudart {

/// The time line behind a handle: 0 and cudaStreamLegacy are the default stream; cudaStreamPerThread is the
/// calling thread's own.
/// @throws ApiError cudaErrorInvalidResourceHandle
CUstream_st& stream_of(cudaStream_t handle);

/// Every stream that is there, the default ones of all devices among them.
void each_stream(const std::function<void(CUstream_st&)>& act);

/// Whether there are streams beside the default one: of the program's own, or of other devices.
bool other_streams();

/// While this lives, stream 0 is the calling thread's own (-default-stream per-thread).
class OwnDefaultStream {
 public:
  OwnDefaultStream();
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
  ~OwnDefaultStream();

 private:
  bool before_;
};

/// @throws ApiError cudaErrorInvalidResourceHandle
CUevent_st& event_of(cudaEvent_t handle);

/// Whether an event was not destroyed yet; for work that may run later than it was asked for.
bool is_live(const CUevent_st* event);

/// Host time of a query, and from the end of the device's work until the waiting host has noticed; ns.
inline constexpr double kQueryNs = 200;
inline constexpr double kWaitNs = 1000;

using Operation = std::function<void(CUstream_st&)>;

/// Executes an operation, or adds it to the graph that the stream captures, or defers it behind a kernel that
/// waits. On a device that has failed it is dropped.
/// @param type  what a captured operation is as a node of its graph
void submit(CUstream_st& stream, Operation operation, cudaGraphNodeType type = cudaGraphNodeTypeKernel);

/// Ends the call, and the capture, when the stream is capturing: the call would wait. @throws ApiError
void forbid_capture(const CUstream_st& stream);

}  // namespace sim::cudart
