#include "grader/platform/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace ladder::cli {
namespace {

// The driver's functions and constants used here have been the same since CUDA 3.
constexpr int kSuccess = 0, kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{MAJOR,MINOR}

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

std::string reason(void* library, int code) {
  const char* text = nullptr;
  if (auto* describe = find<int(int, const char**)>(library, "cuGetErrorString")) describe(code, &text);
  return fmt::format("{} (error {})", text != nullptr ? text : "the driver does not start", code);
}

Gpu describe(void* library, int device) {
  Gpu gpu;
  char name[256] = "GPU";
  int major = 0, minor = 0;
  std::size_t bytes = 0;
  if (auto* f = find<int(char*, int, int)>(library, "cuDeviceGetName")) f(name, sizeof name, device);
  if (auto* f = find<int(int*, int, int)>(library, "cuDeviceGetAttribute")) {
    f(&major, kMajor, device);
    f(&minor, kMinor, device);
  }
  if (auto* f = find<int(std::size_t*, int)>(library, "cuDeviceTotalMem_v2")) f(&bytes, device);
  gpu.name = name;
  gpu.compute_capability = fmt::format("{}.{}", major, minor);
  gpu.memory_gib = static_cast<double>(bytes) / (1u << 30);
  return gpu;
}

}  // namespace

GpuDriver ask_driver() {
  GpuDriver driver;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return driver;
  driver.present = true;
  auto* init = find<int(unsigned)>(library, "cuInit");
  auto* version = find<int(int*)>(library, "cuDriverGetVersion");
  auto* count = find<int(int*)>(library, "cuDeviceGetCount");
  if (init == nullptr || version == nullptr || count == nullptr) {
    driver.error = "libcuda.so.1 is not NVIDIA's driver";
    return driver;
  }
  if (int number = 0; version(&number) == kSuccess)
    driver.cuda_version = fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  int devices = 0;
  int code = init(0);
  if (code == kSuccess) code = count(&devices);
  if (code != kSuccess) driver.error = reason(library, code);
  for (int device = 0; device < devices; ++device) driver.gpus.push_back(describe(library, device));
  return driver;  // the library stays loaded: drivers do not like to be unloaded
}

bool gpu_visible() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists("/dev/dxg", ignored)) return true;  // WSL
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > 6 && name.starts_with("nvidia") &&
        name.find_first_not_of("0123456789", 6) == std::string::npos)
      return true;
  }
  return false;
}

}  // namespace ladder::cli
