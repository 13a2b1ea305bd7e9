// Error codes and their texts.
#include <array>

#include "simulator/runtime/device.h"

using namespace sim::runtime;

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

#define LADDER_ERROR(code, text) \
  { code, #code, text }
constexpr std::array kErrors{
    ErrorText LADDER_ERROR(cudaSuccess, "no error"),
    ErrorText LADDER_ERROR(cudaErrorInvalidValue, "invalid argument"),
    ErrorText LADDER_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ErrorText LADDER_ERROR(cudaErrorInitializationError, "initialization error"),
    ErrorText LADDER_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ErrorText LADDER_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ErrorText LADDER_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ErrorText LADDER_ERROR(cudaErrorInvalidFilterSetting,
                           "linear filtering not supported for non-float type"),
    ErrorText LADDER_ERROR(cudaErrorInvalidNormSetting,
                           "read as normalized float not supported for 32-bit non float type"),
    ErrorText LADDER_ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    ErrorText LADDER_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ErrorText LADDER_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ErrorText LADDER_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    ErrorText LADDER_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ErrorText LADDER_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ErrorText LADDER_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ErrorText LADDER_ERROR(cudaErrorNoKernelImageForDevice,
                           "no kernel image is available for execution on the device"),
    ErrorText LADDER_ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    ErrorText LADDER_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ErrorText LADDER_ERROR(cudaErrorNotReady, "device not ready"),
    ErrorText LADDER_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ErrorText LADDER_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ErrorText LADDER_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ErrorText LADDER_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ErrorText LADDER_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ErrorText LADDER_ERROR(cudaErrorAssert, "device-side assert triggered"),
    ErrorText LADDER_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                           "part or all of the requested memory range is already mapped"),
    ErrorText LADDER_ERROR(cudaErrorHostMemoryNotRegistered,
                           "pointer does not correspond to a registered memory region"),
    ErrorText LADDER_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    ErrorText LADDER_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ErrorText LADDER_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ErrorText LADDER_ERROR(cudaErrorNotSupported, "operation not supported"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureUnsupported,
                           "operation not permitted when stream is capturing"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureInvalidated,
                           "operation failed due to a previous error during capture"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureIsolation,
                           "dependency created on uncaptured work in another stream"),
    ErrorText LADDER_ERROR(cudaErrorStreamCaptureImplicit,
                           "operation would make the legacy stream depend on a capturing blocking stream"),
    ErrorText LADDER_ERROR(cudaErrorGraphExecUpdateFailure,
                           "the graph update was not performed because it included changes which violated "
                           "constraints specific to instantiated graph update"),
    ErrorText LADDER_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    ErrorText LADDER_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ErrorText LADDER_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    ErrorText LADDER_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ErrorText LADDER_ERROR(cudaErrorFileNotFound, "file not found"),
    ErrorText LADDER_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ErrorText LADDER_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef LADDER_ERROR

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

extern "C" {

/// A failed device keeps its error; any other is forgotten once it was told.
cudaError_t cudaGetLastError() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  const cudaError_t code = d.sticky != cudaSuccess ? d.sticky : last_error();
  last_error() = cudaSuccess;
  return code;
}

cudaError_t cudaPeekAtLastError() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  return d.sticky != cudaSuccess ? d.sticky : last_error();
}

const char* cudaGetErrorName(cudaError_t code) {
  const ErrorText* error = find(code);
  return error ? error->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t code) {
  const ErrorText* error = find(code);
  return error ? error->text : "unrecognized error code";
}

}  // extern "C"
