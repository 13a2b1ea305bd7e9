// Driver API: start, devices, contexts, errors.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "simulator/driver/driver.h"

using namespace sim::cudart;
using driver::result;

namespace sim::cudart::driver {

CUresult result(cudaError_t code) {
  switch (code) {
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    default:
      return static_cast<CUresult>(code);
  }
}

namespace {

/// Contexts that the calling thread made current, the last one on top.
std::vector<CUcontext>& stack() {
  thread_local std::vector<CUcontext> all;
  return all;
}

CUcontext context_of(int ordinal) { return reinterpret_cast<CUcontext>(&device(ordinal)); }

CUresult enter(CUcontext context) {
  choose_device(reinterpret_cast<Device*>(context)->ordinal);
  return CUDA_SUCCESS;
}

/// Names of the codes that functions here return.
#define LADDER_NAME(code) \
  { code, #code }
constexpr std::pair<CUresult, const char*> kNames[] = {
    LADDER_NAME(CUDA_SUCCESS),
    LADDER_NAME(CUDA_ERROR_INVALID_VALUE),
    LADDER_NAME(CUDA_ERROR_OUT_OF_MEMORY),
    LADDER_NAME(CUDA_ERROR_NO_DEVICE),
    LADDER_NAME(CUDA_ERROR_INVALID_DEVICE),
    LADDER_NAME(CUDA_ERROR_INVALID_CONTEXT),
    LADDER_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
    LADDER_NAME(CUDA_ERROR_INVALID_PTX),
    LADDER_NAME(CUDA_ERROR_FILE_NOT_FOUND),
    LADDER_NAME(CUDA_ERROR_INVALID_HANDLE),
    LADDER_NAME(CUDA_ERROR_NOT_FOUND),
    LADDER_NAME(CUDA_ERROR_NOT_READY),
    LADDER_NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
    LADDER_NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    LADDER_NAME(CUDA_ERROR_LAUNCH_TIMEOUT),
    LADDER_NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    LADDER_NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    LADDER_NAME(CUDA_ERROR_ASSERT),
    LADDER_NAME(CUDA_ERROR_MISALIGNED_ADDRESS),
    LADDER_NAME(CUDA_ERROR_LAUNCH_FAILED),
    LADDER_NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    LADDER_NAME(CUDA_ERROR_NOT_SUPPORTED),
    LADDER_NAME(CUDA_ERROR_UNKNOWN),
};
#undef LADDER_NAME

bool exists(CUdevice id) { return id >= 0 && id < device_count(); }

/// A program that calls what it got without a look ends at address 0: then this says why.
void tell_missing(const char* name) {
  Device& d = device();
  std::lock_guard hold(d.lock);
  report(FindingKind::unsupported,
         Message("The program asks for the driver's {}, which the simulator does not have: "
                 "it gets a null pointer.",
                 name));
  d.findings.back().severity = Severity::note;
  flush_report(d);
}

}  // namespace
}  // namespace sim::cudart::driver

using namespace sim::cudart::driver;

extern "C" {

CUresult cuInit(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int* version) { return result(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int* count) { return result(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice* id, int ordinal) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (!exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *id = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice id) {
  if (!name || length < 1) return CUDA_ERROR_INVALID_VALUE;
  if (!exists(id)) return CUDA_ERROR_INVALID_DEVICE;
  std::strncpy(name, device(id).gpu.full_name, static_cast<std::size_t>(length));
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice id) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!exists(id)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = device(id).gpu.memory_bytes;
  return CUDA_SUCCESS;
}

/// The two enumerations have the same numbers.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice id) {
  return result(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(which), id));
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice id) {
  if (!exists(id)) return CUDA_ERROR_INVALID_DEVICE;
  *major = device(id).gpu.major;
  *minor = device(id).gpu.minor;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice id, CUdevice peer) {
  return result(cudaDeviceCanAccessPeer(can, id, peer));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice id) {
  if (!exists(id)) return CUDA_ERROR_INVALID_DEVICE;
  *context = context_of(id);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

#if CUDA_VERSION >= 13000
CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice id) {
#else
CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice id) {
#endif
  if (!exists(id)) return CUDA_ERROR_INVALID_DEVICE;
  *context = context_of(id);
  stack().push_back(*context);
  return enter(*context);
}

CUresult cuCtxDestroy(CUcontext context) {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  std::erase(stack(), context);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!stack().empty()) stack().pop_back();
  if (!context) return CUDA_SUCCESS;
  stack().push_back(context);
  return enter(context);
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = stack().empty() ? nullptr : stack().back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  stack().push_back(context);
  return enter(context);
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = stack().back();
  stack().pop_back();
  return stack().empty() ? CUDA_SUCCESS : enter(stack().back());
}

CUresult cuCtxGetDevice(CUdevice* id) {
  *id = device().ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }

CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = nullptr;
  for (const auto& [known, text] : kNames)
    if (known == code) *name = text;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(code));
  return CUDA_SUCCESS;
}

/// Finds a driver function in this library, under its newest name.
CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* status) {
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  for (const char* version : {"_v4", "_v3", "_v2", ""})
    if (!*function) *function = ::dlsym(RTLD_DEFAULT, (std::string(name) + version).c_str());
  if (!*function) tell_missing(name);
  if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  const CUresult code = cuGetProcAddress(name, function, static_cast<int>(version), flags, &found);
  if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return code == CUDA_SUCCESS ? cudaSuccess : last_error() = cudaErrorInvalidValue;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

}  // extern "C"
