// Registers kernels written in PTX with the runtime, as nvcc's generated code does with its own.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/report/wording/words.h"
#include "simulator/telemetry.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
}

namespace runtime_test {

/// A module of PTX text, registered while it lives.
class PtxModule {
 public:
  explicit PtxModule(const std::string& text) {
    const std::string ptx = ".version 8.0\n.target sm_75\n.address_size 64\n" + text;
    const std::size_t payload = (ptx.size() + 8) / 8 * 8;
    bytes_.resize(16 + 64 + payload);
    put<std::uint32_t>(0, 0xBA55ED50);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, 16);
    put<std::uint64_t>(8, 64 + payload);
    put<std::uint16_t>(16, 1);
    put<std::uint32_t>(16 + 4, 64);
    put<std::uint64_t>(16 + 8, payload);
    put<std::uint32_t>(16 + 28, 75);
    std::memcpy(bytes_.data() + 80, ptx.data(), ptx.size());
    wrapper_ = {0x466243b1, 1, bytes_.data(), nullptr};
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~PtxModule() { __cudaUnregisterFatBinary(handle_); }
  PtxModule(const PtxModule&) = delete;

  /// What a launch names the kernel by.
  const void* kernel(const char* name) {
    static std::array<char, 64> stubs;
    static std::size_t used = 0;
    const char* stub = &stubs[used++ % stubs.size()];
    __cudaRegisterFunction(handle_, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return stub;
  }
  void** handle() const { return handle_; }

 private:
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  struct Wrapper {
    std::uint32_t magic, version;
    const char* data;
    void* extra;
  } wrapper_{};
  std::vector<char> bytes_;
  void** handle_;
};

template <class... Arguments>
cudaError_t launch(const void* kernel, dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                   Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernel(kernel, grid, block, pointers, shared, stream);
}

/// A device as after a fresh start: no memory, no errors, nothing to report.
struct FreshDevice {
  FreshDevice() { clear(); }
  ~FreshDevice() { clear(); }
  static void clear() {
    sim::revive_device();
    sim::take_findings();
    sim::take_kernel_records();
  }
};

inline std::string only_finding() {
  const auto findings = sim::take_findings();
  return findings.size() == 1 ? sim::sentence(findings[0]) : std::to_string(findings.size()) + " findings";
}

}  // namespace runtime_test
