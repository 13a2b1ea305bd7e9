// Functions of the program that streams and graphs call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "simulator/remote/board.h"
#include "simulator/remote/calls.h"
#include "simulator/remote/codec.h"

namespace sim::remote {

/// Functions that the calling thread's work comes to are called through this slot, whose program waits.
void call_back_through(Slot& slot);

/// Call::host_function and Call::stream_callback.
std::uint64_t enqueue_callback(Call kind, Unpacker from);

/// A graph's node that calls a function of the program.
cudaHostNodeParams bound(const Callback& callback);
/// The program's function of such a node. @throws BadCall where it is another's
Callback callback_of(const cudaHostNodeParams& params);

}  // namespace sim::remote
