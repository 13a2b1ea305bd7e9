// Runs every case of tests/simulator/wgmma on the GPU of this machine, which needs compute capability 9.0:
//   wgmma_recorder OUT [WORD]      with WORD only those whose names have it
// For each case a line "name<TAB>digest<TAB>words", then so many words of results: none where there are many.
// Compressed with `zstd -19`, that is tests/simulator/wgmma/recorded.zst.
#include <cuda.h>

#include <cstdio>
#include <fstream>

#include "tests/simulator/wgmma/cases.h"

namespace {

using namespace sim::wgmma;

bool succeeded(CUresult code, const std::string& name, const char* step) {
  if (code == CUDA_SUCCESS) return true;
  const char* text = "";
  cuGetErrorString(code, &text);
  std::fprintf(stderr, "%s: %s: %s\n", name.c_str(), step, text);
  return false;
}

/// Results as the kernel stored them; empty on failure.
std::vector<std::uint32_t> run(const Case& c, CUdeviceptr in, CUdeviceptr out) {
  const std::vector<std::uint32_t> operands = operands_of(c);
  std::vector<std::uint32_t> results(static_cast<std::size_t>(kThreads * registers_of_d(c)));
  const std::string name = name_of(c);
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (!succeeded(cuModuleLoadData(&module, ptx_of(c).c_str()), name, "load")) return {};
  void* arguments[] = {&out, &in};
  const bool good = succeeded(cuModuleGetFunction(&kernel, module, "k"), name, "kernel") &&
                    succeeded(cuMemsetD8(out, 0, results.size() * 4), name, "clear") &&
                    succeeded(cuMemcpyHtoD(in, operands.data(), operands.size() * 4), name, "operands") &&
                    succeeded(cuLaunchKernel(kernel, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr),
                              name, "launch") &&
                    succeeded(cuMemcpyDtoH(results.data(), out, results.size() * 4), name, "results");
  cuModuleUnload(module);
  return good ? results : std::vector<std::uint32_t>{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--ptx") {  // for ptxas, where there is no GPU
    for (const Case& c : all_cases())
      if (name_of(c) == argv[2]) std::fputs(ptx_of(c).c_str(), stdout);
    return 0;
  }
  if (argc != 2 && argc != 3) return std::fprintf(stderr, "usage: wgmma_recorder OUT [WORD]\n"), 2;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr in = 0, out = 0;
  constexpr std::size_t kRoom = std::size_t{1} << 20;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&in, kRoom) != CUDA_SUCCESS ||
      cuMemAlloc(&out, kRoom) != CUDA_SUCCESS)
    return std::fprintf(stderr, "no GPU to record on\n"), 1;
  std::ofstream to(argv[1], std::ios::binary);
  int recorded = 0, failed = 0;
  for (const Case& c : all_cases()) {
    if (argc == 3 && name_of(c).find(argv[2]) == std::string::npos) continue;
    const std::vector<std::uint32_t> results = run(c, in, out);
    ++(results.empty() ? failed : recorded);
    if (results.empty()) continue;
    const std::size_t kept = results.size() > kMostKept ? 0 : results.size();
    to << name_of(c) << '\t' << digest(results) << '\t' << kept << '\n';
    to.write(reinterpret_cast<const char*>(results.data()), static_cast<std::streamsize>(kept * 4));
  }
  std::printf("%d cases recorded, %d failed\n", recorded, failed);
  return failed != 0 || !to.flush();
}
