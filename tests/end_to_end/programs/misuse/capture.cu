// Stream capture, and what may not be called meanwhile.
#include <cstdio>

#include "misuse.h"

MISUSE(capture) {
  cudaStream_t s, t;
  cudaGraph_t g = nullptr;
  cudaEvent_t e;
  cudaStreamCaptureStatus status;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&e);
  int* d = device_memory();
  void* p = nullptr;
  float ms = 0;
  const auto begin = [&] { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); };
  const auto end = [&](const char* label) {
    tell(label, cudaStreamEndCapture(s, &g));
    cudaGetLastError();
  };
  tell("end without begin", cudaStreamEndCapture(s, &g));
  tell("begin on legacy", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  tell("begin mode 99", cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(99)));
  begin();
  tell("begin twice", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  end("end after beginning twice");
  begin();
  tell("synchronise the stream", cudaStreamSynchronize(s));
  tell("status", cudaStreamIsCapturing(s, &status));
  show("status", status);
  tell("more after that", cudaMemsetAsync(d, 0, 4, s));
  end("end after synchronising");
  begin();
  tell("synchronise the device", cudaDeviceSynchronize());
  end("end after synchronising the device");
  begin();
  tell("query", cudaStreamQuery(s));
  end("end after query");
  begin();
  tell("malloc", cudaMalloc(&p, 64));
  end("end after malloc");
  begin();
  tell("synchronous copy", cudaMemcpy(d, d + 64, 4, cudaMemcpyDeviceToDevice));
  end("end after a synchronous copy");
  begin();
  plain_kernel<<<1, 1>>>(nullptr);
  tell("launch in legacy", cudaPeekAtLastError());
  end("end after legacy");
  begin();
  tell("record", cudaEventRecord(e, s));
  tell("query the event", cudaEventQuery(e));
  end("end after the event's query");
  begin();
  cudaEventRecord(e, s);
  tell("synchronise the event", cudaEventSynchronize(e));
  end("end after the event's synchronise");
  begin();
  cudaEventRecord(e, s);
  tell("elapsed of captured", cudaEventElapsedTime(&ms, e, e));
  end("end after elapsed");
  begin();
  cudaEventRecord(e, s);
  tell("fork", cudaStreamWaitEvent(t, e, 0));
  cudaMemsetAsync(d, 0, 4, t);
  end("end unjoined");
  begin();
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  tell("end on the forked", cudaStreamEndCapture(t, &g));
  end("end after the forked");
  cudaEvent_t outside;
  cudaEventCreate(&outside);
  cudaEventRecord(outside, t);
  begin();
  tell("wait for outside", cudaStreamWaitEvent(s, outside, 0));
  end("end after outside");
  begin();
  tell("destroy while capturing", cudaStreamDestroy(s));
}

/// One call during a capture of each mode, and how the capture ends.
template <class Call>
static void during(const char* label, Call&& call) {
  static const char* const names[] = {"global", "thread-local", "relaxed"};
  for (int mode = 0; mode < 3; ++mode) {
    cudaStream_t s;
    cudaGraph_t g = nullptr;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(mode));
    char text[96];
    std::snprintf(text, sizeof text, "%s, %s", label, names[mode]);
    tell(text, call());
    std::snprintf(text, sizeof text, "%s, %s, end", label, names[mode]);
    tell(text, cudaStreamEndCapture(s, &g));
    cudaStreamDestroy(s);
    cudaGetLastError();
  }
}

MISUSE(capture_calls) {
  cudaStream_t other;
  cudaEvent_t event, fresh;
  cudaStreamCreate(&other);
  cudaEventCreate(&event);
  cudaEventRecord(event, other);
  cudaDeviceSynchronize();
  void *p = nullptr, *pinned = nullptr, *freed = nullptr;
  static char host[64];
  float ms = 0;
  int* d = device_memory();
  cudaMallocHost(&pinned, 64);
  during("malloc", [&] { return cudaMalloc(&p, 64); });
  during("free", [&] { return cudaFree(p); });
  during("free null", [&] { return cudaFree(nullptr); });
  during("malloc managed", [&] { return cudaMallocManaged(&p, 64); });
  during("malloc host", [&] { return cudaMallocHost(&freed, 64); });
  during("free host", [&] { return cudaFreeHost(freed); });
  during("register", [&] { return cudaHostRegister(host, 64, 0); });
  during("malloc async elsewhere", [&] { return cudaMallocAsync(&p, 64, other); });
  during("fill", [&] { return cudaMemset(d, 0, 4); });
  during("fill elsewhere", [&] { return cudaMemsetAsync(d, 0, 4, other); });
  during("copy", [&] { return cudaMemcpy(d, host, 4, cudaMemcpyHostToDevice); });
  during("copy within", [&] { return cudaMemcpy(d, d + 8, 4, cudaMemcpyDeviceToDevice); });
  during("query event", [&] { return cudaEventQuery(event); });
  during("synchronise event", [&] { return cudaEventSynchronize(event); });
  during("elapsed", [&] { return cudaEventElapsedTime(&ms, event, event); });
  during("create event", [&] { return cudaEventCreate(&fresh); });
}
