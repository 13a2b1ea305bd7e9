#include "simulator/remote/server/callbacks.h"

#include <cstring>

namespace sim::remote {
namespace {

/// A function of the program, to be called when the stream has come to it.
struct Bound {
  Call kind;
  Callback callback;
};

thread_local Slot* calling = nullptr;  ///< through which this thread's program waits for an answer

void call_back(const Bound& bound, cudaError_t status) {
  if (calling == nullptr) return;  // by another thread, behind a kernel that waited: nobody listens
  std::memcpy(calling->payload, &bound.callback, sizeof(bound.callback));
  calling->kind = Kind::callback;
  calling->call = static_cast<std::uint32_t>(bound.kind);
  calling->result = status;
  pass(*calling, Slot::program);
  await(*calling, Slot::simulator);
}

void call_host_function(void* data) { call_back(*static_cast<Bound*>(data), cudaSuccess); }

}  // namespace

void call_back_through(Slot& slot) { calling = &slot; }

std::uint64_t enqueue_callback(Call kind, Unpacker from) {
  // A captured call is made at each launch of its graph: what it is bound to stays.
  auto* const bound = new Bound{kind, from.take<Callback>()};
  auto* const stream = reinterpret_cast<cudaStream_t>(bound->callback.stream);
  if (bound->callback.function == 0) return cudaErrorInvalidValue;
  if (kind == Call::host_function) return cudaLaunchHostFunc(stream, &call_host_function, bound);
  return cudaStreamAddCallback(
      stream,
      [](cudaStream_t, cudaError_t status, void* data) { call_back(*static_cast<Bound*>(data), status); },
      bound, from.take<unsigned>());
}

cudaHostNodeParams bound(const Callback& callback) {
  // Without a function the runtime refuses the node as it refuses the program's own.
  if (callback.function == 0) return {nullptr, nullptr};
  return {&call_host_function, new Bound{Call::host_function, callback}};  // it stays, as above
}

Callback callback_of(const cudaHostNodeParams& params) {
  if (params.fn != &call_host_function) throw BadCall();
  return static_cast<const Bound*>(params.userData)->callback;
}

}  // namespace sim::remote
