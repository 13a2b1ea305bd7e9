// Kernels whose counters are known from hardware. Run under Nsight Compute by record.sh, and on the simulator
// by counters_test.cpp; both count every launch by itself.
#include <cstring>

#include "kernels_further.cuh"
#include "kernels_matrix.cuh"
#include "kernels_memory.cuh"
#include "kernels_others.cuh"
#include "kernels_patterns.cuh"
#include "probes.cuh"

namespace {

struct Group {
  const char* name;
  void (*run)();
};
constexpr Group kGroups[] = {{"memory", &run_memory},
                             {"patterns", &run_patterns},
                             {"matrix", &run_matrix},
                             {"others", &run_others},
                             {"further", &run_further},
                             {"probe-4", [] { probe_width<unsigned>(ProbeBuffers(), 32, 16); }},
                             {"probe-8", [] { probe_width<uint2>(ProbeBuffers(), 32, 40); }},
                             {"probe-16", [] { probe_width<uint4>(ProbeBuffers(), 32, 40); }},
                             {"probe-1", [] { probe_width<unsigned char>(ProbeBuffers(), 4, 8); }},
                             {"probe-2", [] { probe_width<unsigned short>(ProbeBuffers(), 4, 8); }},
                             {"probe-copies", &probe_copies},
                             {"probe-atomics", &probe_all_atomics}};

}  // namespace

/// Runs one group of kernels, announcing each. @return false when there is no group of that name
extern "C" bool run_group(const char* name, Announce to) {
  announce = to;
  for (const Group& group : kGroups) {
    if (std::strcmp(group.name, name) != 0) continue;
    group.run();
    return cudaDeviceSynchronize() == cudaSuccess;
  }
  return false;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const bool done = run_group(argv[i], [](const char* name) { std::printf("%s\n", name); });
    if (!done) return std::printf("%s: %s\n", argv[i], cudaGetErrorString(cudaGetLastError())), 1;
  }
}
