#include "tests/simulator/model/rungs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "simulator/report/json.h"

namespace sim::model {
namespace {

using nlohmann::json;

json read(const std::string& file) {
  std::ifstream in(file);
  return json::parse(in);
}

ModelledLaunch launch_of(const json& recorded) {
  const auto record = recorded.get<KernelRecord>();
  const ModelInputs& m = record.model;
  ModelledLaunch launch;
  launch.kernel = {record.name, 0, 0, 0, m.registers, 0, {}};
  launch.kernel.static_shared_bytes = m.shared_bytes - std::uint32_t(record.dynamic_shared_bytes);
  launch.what.grid = record.grid;
  launch.what.block = record.block;
  launch.what.dynamic_shared_bytes = std::uint32_t(record.dynamic_shared_bytes);
  launch.result.counters = record.counters;
  launch.result.cost.critical_path = {m.global_waits, m.shared_waits, m.atomic_waits, m.arithmetic_waits};
  launch.result.cost.sass_instructions = m.sass_instructions;
  launch.result.cost.units = {m.doubles, m.specials, m.textures, m.tensor_macs};
  launch.result.longest_warp = m.longest_warp;
  launch.result.slowest_warp = m.slowest_warp;
  launch.result.same_address_atomics = m.same_address_atomics;
  launch.result.partial_line_load_sectors = m.partial_line_load_sectors;
  launch.result.partial_line_store_sectors = m.partial_line_store_sectors;
  launch.result.chain_lanes = m.chain_lanes;
  launch.result.read_footprint = m.read_footprint;
  launch.result.written_footprint = m.written_footprint;
  return launch;
}

}  // namespace

Ladders read_ladders(const std::string& folder) {
  const json inputs = read(folder + "/inputs.json"), times = read(folder + "/h200_times.json");
  Ladders all;
  for (const auto& [lesson, rungs] : inputs.items()) {
    for (const auto& [name, run] : rungs.items()) {
      const json& measured = times.at(lesson).at(name);
      if (run.at("size") != measured.at("size"))
        throw std::runtime_error(lesson + "." + name + ": counted at another size than it was timed at");
      Rung& rung = all[lesson].emplace_back();
      rung.name = name;
      rung.measured_ms = measured.at("ms");
      rung.clock_ms = run.value("clock_ms", 0.0);
      for (const json& launch : run.value("kernels", json::array()))
        rung.launches.push_back(launch_of(launch));
    }
    std::sort(all[lesson].begin(), all[lesson].end(),
              [](const Rung& a, const Rung& b) { return std::stoi(a.name) < std::stoi(b.name); });
  }
  return all;
}

Modelled modelled(const Rung& rung, const Gpu& gpu, const Tuning& tuning) {
  if (rung.launches.empty()) return {rung.clock_ms, "copies"};
  Modelled sum;
  double longest = 0;
  for (const ModelledLaunch& l : rung.launches) {
    const Estimate e = estimate(gpu, l.kernel, l.what, l.result, tuning);
    sum.ms += e.ns / 1e6;
    if (e.ns > longest) longest = e.ns, sum.bound = e.bound;
  }
  return sum;
}

double kendall(const std::vector<double>& measured, const std::vector<double>& modelled) {
  int agree = 0, pairs = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const double by = measured[i] - measured[j];
      const bool tie = std::abs(by) < 0.02 * measured[i];
      agree += tie || by * (modelled[i] - modelled[j]) > 0 ? 1 : -1;
    }
  }
  return pairs == 0 ? 1 : double(agree) / pairs;
}

}  // namespace sim::model
