// Attributes of streams: they steer caches and priorities, and none changes a result.
#include <map>

#include "simulator/cudart/device/device.h"

using namespace sim::cudart;

namespace {

constexpr std::size_t kMostWindow = 128 << 20;  ///< cudaDevAttrMaxAccessPolicyWindowSize

/// As they were set, by the stream's number: that is used once.
std::map<std::pair<std::uint64_t, cudaStreamAttrID>, cudaStreamAttrValue>& known() {
  static auto& all = *new std::map<std::pair<std::uint64_t, cudaStreamAttrID>, cudaStreamAttrValue>;
  return all;
}

bool belongs_to_streams(cudaStreamAttrID which) {
  return which == cudaLaunchAttributeAccessPolicyWindow ||
         which == cudaLaunchAttributeSynchronizationPolicy || which == cudaLaunchAttributePriority ||
         which == cudaLaunchAttributeMemSyncDomainMap || which == cudaLaunchAttributeMemSyncDomain;
}

void check(cudaStreamAttrID which, const cudaStreamAttrValue& value) {
  require(belongs_to_streams(which));
  if (which != cudaLaunchAttributeAccessPolicyWindow) return;
  const cudaAccessPolicyWindow& w = value.accessPolicyWindow;
  require(w.num_bytes <= kMostWindow && w.hitRatio >= 0 && w.hitRatio <= 1 &&
          w.missProp != cudaAccessPropertyPersisting);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID which,
                                   const cudaStreamAttrValue* value) {
  return api([&](Device&) {
    CUstream_st& stream = stream_of(handle);
    require(value);
    check(which, *value);
    known()[{stream.number, which}] = *value;
    if (which == cudaLaunchAttributePriority) stream.priority = value->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID which, cudaStreamAttrValue* value) {
  return api([&](Device&) {
    const CUstream_st& stream = stream_of(handle);
    require(value && belongs_to_streams(which));
    const auto found = known().find({stream.number, which});
    *value = found != known().end() ? found->second : cudaStreamAttrValue{};
    if (which == cudaLaunchAttributePriority) value->priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to_handle, cudaStream_t from_handle) {
  return api([&](Device&) {
    CUstream_st &to = stream_of(to_handle), &from = stream_of(from_handle);
    const auto first = known().lower_bound({from.number, cudaStreamAttrID{}}),
               end = known().lower_bound({from.number + 1, cudaStreamAttrID{}});
    const std::map copies(first, end);
    for (const auto& [key, value] : copies) known()[{to.number, key.second}] = value;
    to.priority = from.priority;
    return cudaSuccess;
  });
}

}  // extern "C"
