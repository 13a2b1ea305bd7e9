// What judge and worker say to each other. Both ends are
// the same executable, so nothing here is a stable format.
//
//   judge -> worker                                 worker -> judge
//                                                   {"device": {...}} or {"failed": "device", "message"}
//                                                   {"ready": true} or {"failed": "module"|"lesson", ...}
//   {"do":"case", case, buffers, guard, sets} + fds {"sets": n} or {"failed": "memory"|"exception", ...}
//   {"do":"run", "poison", "order", "failing",      WorkerReply; results stand in the shared memory
//    "closely"}
//   {"do":"sample", "seed", "filled"}               WorkerReply with "touched"; where filled, with results
//   {"do":"batch", "poison", "seconds", "least",    {"samples": [ms...], "set": of the last launch} or
//    "download"}                                    WorkerReply with an error
//   {"do":"download", "set": i}                     WorkerReply
//   {"do":"release"}                                {"ok": true}
//   {"do":"peaks", "module"}                        {"read": GB/s, ...}
//
// "poison" is a byte, "order" a seed, "failing" which launch or allocation fails, "closely" whether launches
// of any size are looked at, "filled" whether touched pages are filled first, "download" whether the results
// are handed over, too. "touched" is [[[first byte, bytes]...] by buffer].
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace ladder {

inline constexpr int kChannelFd = 3;    ///< the worker's end of the socket
inline constexpr int kLastWordsFd = 4;  ///< the page it writes when it crashes
/// Kernels and findings of one call that a reply has: more, nobody reads.
inline constexpr std::size_t kMostKernels = 64, kMostFindings = 64;
inline constexpr std::size_t kHostGuard = 4096;  ///< bytes before and after every array in host memory

/// What a worker is doing, so that a crash or a hang can be placed.
enum class WorkerStep : std::uint32_t {
  starting,
  loading,
  allocating,
  prepare,
  launch,
  synchronize,
  finish,
  harness
};
/// @return "in launch(), on the host", ... as part of a sentence
const char* describe(WorkerStep step);

/// A page shared with the judge that survives the worker. Written by student-reachable code: the judge bounds
/// all of it.
struct LastWords {
  static constexpr int kMostArrays = 24;
  struct Array {
    std::uint64_t begin, end;  ///< addresses in the worker
    std::uint32_t on_device;
    char name[36];
  };
  WorkerStep step;
  std::int32_t signal;       ///< 0 until a fatal signal was caught
  std::int32_t signal_code;  ///< si_code
  std::uint32_t arrays_used;
  std::uint64_t address;  ///< si_addr
  Array arrays[kMostArrays];
};
static_assert(sizeof(LastWords) <= 4096);

/// Facts of the device that a worker found.
struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  double clock_ghz = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  double datasheet_gbs = 0;  ///< memory clock times bus width; 0 = unknown
  int count = 1;             ///< of devices that the process sees; this is the first
};

struct CudaStatus {
  int code = 0;
  std::string name, text;  ///< cudaGetErrorName, cudaGetErrorString
};

/// How one run went, in the worker's words.
struct WorkerReply {
  CudaStatus returned;                   ///< by the lesson's call of the rung
  CudaStatus left_behind;                ///< by cudaGetLastError() after it
  CudaStatus synchronize;                ///< by cudaDeviceSynchronize() after that: errors inside kernels
  CudaStatus harness;                    ///< by the harness's own copies
  WorkerStep step = WorkerStep::launch;  ///< where the first of them came from
  std::string exception;   ///< what() of an exception that left the rung; empty if none; of CudaError,
                           ///< `returned` is set
  bool objection = false;  ///< it is the lesson's, and these are its words
  bool reported = false;   ///< see Objection::reported()
  double elapsed_ms = 0;   ///< by the lesson's clock
  std::vector<sim::Finding> findings;
  std::vector<sim::KernelRecord> kernels;
  std::map<std::string, std::uint64_t> calls;  ///< of the CUDA runtime, by name, until the clock stops
  std::string failed_call;                     ///< that was made to fail
};

void to_json(nlohmann::json& json, const DeviceInfo& info);
void from_json(const nlohmann::json& json, DeviceInfo& info);
void to_json(nlohmann::json& json, const CudaStatus& status);
void from_json(const nlohmann::json& json, CudaStatus& status);
void to_json(nlohmann::json& json, const WorkerReply& reply);
void from_json(const nlohmann::json& json, WorkerReply& reply);

/// The shape of a case without its data: what travels in "do":"case".
nlohmann::json case_to_json(const Case& which);
Case case_from_json(const nlohmann::json& json);
nlohmann::json buffer_to_json(const Buffer& buffer);
Buffer buffer_from_json(const nlohmann::json& json);

}  // namespace ladder
