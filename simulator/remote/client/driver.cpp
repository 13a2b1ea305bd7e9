// Functions of the driver that need no device: they are carried out here, and what they write is checked
// where it is used.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string_view>

namespace {

void* function_of(std::string_view name) {
  if (name == "cuTensorMapEncodeTiled") return reinterpret_cast<void*>(&cuTensorMapEncodeTiled);
  if (name == "cuTensorMapEncodeIm2col") return reinterpret_cast<void*>(&cuTensorMapEncodeIm2col);
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  if (name == nullptr || function == nullptr) return cudaErrorInvalidValue;
  *function = function_of(name);
  if (status != nullptr)
    *status = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *function != nullptr || status != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

}  // extern "C"
