// The NVIDIA driver and the GPUs it knows, asked without linking to it.
#pragma once

#include <string>
#include <vector>

namespace ladder::cli {

struct Gpu {
  std::string name;
  std::string compute_capability;  ///< "9.0"
  double memory_gib = 0;
};

struct GpuDriver {
  bool present = false;      ///< libcuda could be loaded
  std::string error;         ///< why it cannot be used; empty where it can
  std::string cuda_version;  ///< newest CUDA it serves, "13.0"
  std::vector<Gpu> gpus;
};

/// Loads libcuda and asks it; takes a moment where there is a GPU.
GpuDriver ask_driver();

/// Whether the kernel offers an NVIDIA GPU; costs no driver start.
bool gpu_visible();

}  // namespace ladder::cli
