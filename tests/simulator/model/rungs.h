// The launches of rungs at the sizes that an H200 was timed at, and what the time model makes of them.
// inputs.json holds the launches' counters (compare.py writes it), h200_times.json the measured medians.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/model/model.h"

namespace sim::model {

/// One kernel launch as the model is asked about it, and how often the rung makes it.
struct ModelledLaunch {
  exec::KernelFacts kernel;
  exec::Launch what;
  exec::LaunchResult result;
};

struct Rung {
  std::string name;
  double measured_ms = 0;
  std::vector<ModelledLaunch> launches;
  double clock_ms = 0;  ///< where copies or the host take the time: what the runtime's modelled clock said
};

/// Rungs by lesson, in the order of their numbers.
using Ladders = std::map<std::string, std::vector<Rung>>;

/// @param folder  with inputs.json and h200_times.json. @throws std::runtime_error where the two do not fit
Ladders read_ladders(const std::string& folder);

/// Milliseconds of all launches, one after the other, and the bound of the longest.
struct Modelled {
  double ms = 0;
  const char* bound = "";
};
Modelled modelled(const Rung& rung, const Gpu& gpu, const Tuning& tuning = {});

/// Kendall's tau of two lists of times. Measured times within 2 % are the same, as the ladders themselves
/// say: any order of them is right.
double kendall(const std::vector<double>& measured, const std::vector<double>& modelled);

}  // namespace sim::model
