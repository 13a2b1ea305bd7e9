// Streams, events, callbacks, pools.
#include "misuse.h"

static void call_back(cudaStream_t, cudaError_t, void*) {}
static void host_function(void*) {}

MISUSE(streams) {
  cudaStream_t s = nullptr, t = nullptr;
  int v = 0;
  unsigned flags = 0;
  cudaEvent_t e;
  cudaEventCreate(&e);
  tell("create null", cudaStreamCreate(nullptr));
  tell("create flags 99", cudaStreamCreateWithFlags(&s, 99));
  tell("priority -100", cudaStreamCreateWithPriority(&s, cudaStreamDefault, -100));
  tell("its priority", cudaStreamGetPriority(s, &v));
  show("its priority", v);
  tell("priority 100", cudaStreamCreateWithPriority(&t, cudaStreamDefault, 100));
  tell("its priority too", cudaStreamGetPriority(t, &v));
  show("its priority too", v);
  tell("priority null", cudaStreamGetPriority(s, nullptr));
  tell("flags null", cudaStreamGetFlags(s, nullptr));
  tell("flags of default", cudaStreamGetFlags(nullptr, &flags));
  show("flags of default", flags);
  tell("id null", cudaStreamGetId(s, nullptr));
  tell("destroy default", cudaStreamDestroy(nullptr));
  tell("destroy legacy", cudaStreamDestroy(cudaStreamLegacy));
  tell("destroy per thread", cudaStreamDestroy(cudaStreamPerThread));
  tell("wait for null", cudaStreamWaitEvent(s, nullptr, 0));
  tell("wait flags 99", cudaStreamWaitEvent(s, e, 99));
  tell("wait for unrecorded", cudaStreamWaitEvent(s, e, 0));
  tell("callback null", cudaStreamAddCallback(s, nullptr, nullptr, 0));
  tell("callback flags", cudaStreamAddCallback(s, call_back, nullptr, 1));
  tell("host function null", cudaLaunchHostFunc(s, nullptr, nullptr));
  tell("host function", cudaLaunchHostFunc(s, host_function, nullptr));
  tell("capturing null", cudaStreamIsCapturing(s, nullptr));
  tell("synchronise", cudaStreamSynchronize(s));
  tell("query", cudaStreamQuery(s));
  tell("copy attributes", cudaStreamCopyAttributes(s, t));
  tell("destroy", cudaStreamDestroy(s));
}

// A handle that was destroyed is the driver's to recognise: each in a process of its own.
MISUSE(stream_destroyed_synchronise) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  tell("synchronise", cudaStreamSynchronize(s));
}
MISUSE(stream_destroyed_query) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  tell("query", cudaStreamQuery(s));
}
MISUSE(stream_destroyed_twice) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  tell("destroy", cudaStreamDestroy(s));
}
MISUSE(stream_destroyed_launch) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  plain_kernel<<<1, 1, 0, s>>>(nullptr);
  tell("launch", cudaPeekAtLastError());
}
MISUSE(stream_destroyed_copy) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  int *p = device_memory(), value = 0;
  tell("copy", cudaMemcpyAsync(p, &value, 4, cudaMemcpyHostToDevice, s));
}

MISUSE(events) {
  cudaEvent_t e = nullptr, f = nullptr, untimed = nullptr, other = nullptr;
  float ms = 0;
  tell("create null", cudaEventCreate(nullptr));
  tell("flags 99", cudaEventCreateWithFlags(&e, 99));
  tell("interprocess and timed", cudaEventCreateWithFlags(&e, cudaEventInterprocess));
  tell("create", cudaEventCreate(&e));
  cudaEventCreate(&f);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  tell("record null", cudaEventRecord(nullptr, 0));
  tell("record flags 99", cudaEventRecordWithFlags(e, 0, 99));
  tell("query null", cudaEventQuery(nullptr));
  tell("query unrecorded", cudaEventQuery(e));
  tell("synchronise null", cudaEventSynchronize(nullptr));
  tell("synchronise unrecorded", cudaEventSynchronize(e));
  tell("elapsed unrecorded", cudaEventElapsedTime(&ms, e, f));
  cudaEventRecord(e, 0);
  tell("elapsed half recorded", cudaEventElapsedTime(&ms, e, f));
  cudaEventRecord(f, 0);
  cudaEventRecord(untimed, 0);
  cudaDeviceSynchronize();
  tell("elapsed", cudaEventElapsedTime(&ms, e, f));
  tell("elapsed to null", cudaEventElapsedTime(nullptr, e, f));
  tell("elapsed of null", cudaEventElapsedTime(&ms, nullptr, f));
  tell("elapsed untimed", cudaEventElapsedTime(&ms, e, untimed));
  tell("destroy null", cudaEventDestroy(nullptr));
  tell("destroy", cudaEventDestroy(e));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEventCreate(&other);
  tell("record in stream", cudaEventRecord(other, s));
}
MISUSE(event_destroyed_twice) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaEventDestroy(e);
  tell("destroy", cudaEventDestroy(e));
}
MISUSE(event_destroyed_record) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaEventDestroy(e);
  tell("record", cudaEventRecord(e, 0));
}

MISUSE(pools) {
  cudaMemPool_t pool = nullptr, mine = nullptr;
  unsigned long long value = 0;
  void* p = nullptr;
  tell("default null", cudaDeviceGetDefaultMemPool(nullptr, 0));
  tell("default of 99", cudaDeviceGetDefaultMemPool(&pool, 99));
  tell("default", cudaDeviceGetDefaultMemPool(&pool, 0));
  tell("destroy default", cudaMemPoolDestroy(pool));
  tell("destroy null", cudaMemPoolDestroy(nullptr));
  tell("create without properties", cudaMemPoolCreate(&mine, nullptr));
  cudaMemPoolProps properties{};
  tell("create of nothing", cudaMemPoolCreate(&mine, &properties));
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 99};
  tell("create on 99", cudaMemPoolCreate(&mine, &properties));
  properties.location.id = 0;
  tell("create", cudaMemPoolCreate(&mine, &properties));
  tell("attribute null", cudaMemPoolGetAttribute(mine, cudaMemPoolAttrReleaseThreshold, nullptr));
  tell("attribute 99", cudaMemPoolGetAttribute(mine, static_cast<cudaMemPoolAttr>(99), &value));
  tell("attribute", cudaMemPoolGetAttribute(mine, cudaMemPoolAttrReleaseThreshold, &value));
  show("threshold", static_cast<long long>(value));
  value = 5;
  tell("set used", cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &value));
  value = 0;
  tell("reset used high", cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &value));
  tell("allocate", cudaMallocFromPoolAsync(&p, 64, mine, 0));
  tell("allocate null", cudaMallocFromPoolAsync(static_cast<void**>(nullptr), 64, mine, 0));
  tell("free", cudaFreeAsync(p, 0));
  tell("free twice", cudaFreeAsync(p, 0));
  tell("trim", cudaMemPoolTrimTo(mine, 0));
  tell("set of 99", cudaDeviceSetMemPool(99, mine));
  tell("set null", cudaDeviceSetMemPool(0, nullptr));
  tell("destroy", cudaMemPoolDestroy(mine));
}
