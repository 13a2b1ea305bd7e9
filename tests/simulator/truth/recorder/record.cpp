// Runs every case of tests/simulator/truth on the GPU of this machine and writes what came out:
//   truth_recorder OUT
// For each case a line "name<TAB>bytes", then the results, each in its own width, row by row. Compressed with
// `zstd -19`, that is tests/simulator/truth/recorded.zst.
#include <cuda.h>

#include <cstdio>
#include <fstream>

#include "tests/simulator/truth/cases.h"

namespace {

using namespace sim::truth;

bool succeeded(CUresult code, const Case& c, const char* step) {
  if (code == CUDA_SUCCESS) return true;
  const char* text = "";
  cuGetErrorString(code, &text);
  std::fprintf(stderr, "%s: %s: %s\n", c.name.c_str(), step, text);
  return false;
}

/// Results as the kernel stored them, 8 bytes each; empty on failure.
std::vector<std::uint64_t> run(const Case& c, CUdeviceptr in, CUdeviceptr out) {
  const std::vector<std::uint64_t> operands = operands_of(c);
  std::vector<std::uint64_t> results(static_cast<std::size_t>(c.rows * places(c.out)));
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (!succeeded(cuModuleLoadData(&module, ptx_of(c).c_str()), c, "load")) return {};
  void* arguments[] = {&out, &in};
  const bool good = succeeded(cuModuleGetFunction(&kernel, module, "k"), c, "kernel") &&
                    succeeded(cuMemsetD8(out, 0, results.size() * 8), c, "clear") &&
                    succeeded(cuMemcpyHtoD(in, operands.data(), operands.size() * 8), c, "operands") &&
                    succeeded(cuLaunchKernel(kernel, static_cast<unsigned>(c.rows) / 32, 1, 1, 32, 1, 1, 0,
                                             nullptr, arguments, nullptr),
                              c, "launch") &&
                    succeeded(cuMemcpyDtoH(results.data(), out, results.size() * 8), c, "results");
  cuModuleUnload(module);
  return good ? results : std::vector<std::uint64_t>{};
}

void write(std::ofstream& to, const Case& c, const std::vector<std::uint64_t>& results) {
  int bytes = 0;
  for (const Kind k : c.out) bytes += bytes_of(k);
  to << c.name << '\t' << bytes * c.rows << '\n';
  std::size_t next = 0;
  for (int row = 0; row < c.rows; ++row)
    for (const Kind k : c.out)
      for (int left = bytes_of(k); left > 0; left -= 8)
        to.write(reinterpret_cast<const char*>(&results[next++]), left < 8 ? left : 8);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: truth_recorder OUT\n"), 2;
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
    const auto results = run(c, in, out);
    if (results.empty()) {
      ++failed;
    } else {
      write(to, c, results);
      ++recorded;
    }
  }
  std::printf("%d cases recorded, %d failed\n", recorded, failed);
  return failed != 0 || !to.flush();
}
