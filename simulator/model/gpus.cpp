#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "simulator/model/gpu.h"
#include "simulator/model/gpus/a100.h"
#include "simulator/model/gpus/h200.h"
#include "simulator/model/gpus/rtx4090.h"
#include "simulator/model/gpus/t4.h"

namespace sim::model {
namespace {

constexpr std::array kGpus{kH200, kT4, kA100, kRtx4090};

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

const Gpu* find_gpu(std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const Gpu& gpu : kGpus) {
    if (std::equal(name.begin(), name.end(), gpu.name, gpu.name + std::string_view(gpu.name).size(), same))
      return &gpu;
  }
  return nullptr;
}

const Gpu& selected_gpu() {
  static const Gpu* const chosen = []() -> const Gpu* {
    const char* name = std::getenv("LADDER_SIM_GPU");
    if (!name || !*name) return &kGpus[0];
    if (const Gpu* gpu = find_gpu(name)) return gpu;
    fmt::print(stderr, "LADDER_SIM_GPU={}: no such GPU is modelled; using {}\n", name, kGpus[0].name);
    return &kGpus[0];
  }();
  return *chosen;
}

}  // namespace sim::model
