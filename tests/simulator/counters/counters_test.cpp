// What the simulator counts for the microkernels against what Nsight Compute counted on an H200 (h200.csv).
#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "simulator/report/json.h"
#include "simulator/telemetry.h"

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> recorded() {
  std::ifstream file(COUNTERS_DATA);
  std::vector<std::string> columns;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ';');) cells.push_back(cell);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells.at(i);
  }
  return rows;
}

std::vector<std::string> announced;

/// Counters of every launch of a group, by the launch's name.
std::map<std::string, nlohmann::json> simulated(const std::string& group) {
  void* module = dlopen(MICROKERNELS, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(module);
  auto* run = reinterpret_cast<bool (*)(const char*, void (*)(const char*))>(dlsym(module, "run_group"));
  REQUIRE(run);
  sim::LaunchSettings how = sim::launch_settings();
  how.host_threads = 1;
  sim::configure(how);
  announced.clear();
  sim::take_kernel_records();
  REQUIRE(run(group.c_str(), [](const char* name) { announced.push_back(name); }));
  const auto records = sim::take_kernel_records();
  REQUIRE(records.size() == announced.size());
  std::map<std::string, nlohmann::json> all;
  for (std::size_t i = 0; i < records.size(); ++i)
    all[announced[i]] = nlohmann::json(records[i]).at("counters");
  dlclose(module);
  return all;
}

/// What ptxas makes of a kernel that PTX does not show, kernel by kernel.
constexpr std::pair<const char*, const char*> kPtxas[] = {
    {"queue of a block", "shared_load_wavefronts"},  // two variables side by side are loaded as one
    {"local array of doubles",
     "global_load_requests"},  // a load from before stores to the array is not repeated
    {"local array of doubles", "global_load_sectors"},
    {"stack of structures",
     "local_load_requests"},  // a loop is unrolled, and lanes part in what is left over
    {"stack of structures", "local_load_sectors"},
    {"more values than registers", "local_load_requests"},  // registers are written to local memory
    {"more values than registers", "local_load_sectors"},
    {"more values than registers", "local_store_requests"},
    {"more values than registers", "local_store_sectors"}};

/// Columns that must be equal. Shared requests are compared in the probes only: elsewhere ptxas replaces
/// branches by predicates, and the hardware counts an instruction whose lanes are all held back.
std::vector<std::string> compared(const std::string& group, const std::string& name) {
  std::vector<std::string> all = {
      "global_load_requests",    "global_load_sectors",    "global_store_requests",
      "global_store_sectors",    "global_atomic_requests", "shared_load_wavefronts",
      "shared_store_wavefronts", "shared_atomic_requests", "shared_atomic_wavefronts",
      "local_load_requests",     "local_load_sectors",     "local_store_requests",
      "local_store_sectors"};
  const bool probe = group.starts_with("probe"), copies = name.starts_with("cp.async");
  const bool nobody = name.ends_with("nobody");
  if (probe && !copies && !nobody) {
    all.push_back("shared_load_requests");
    all.push_back("shared_store_requests");
  }
  // Where the blocks' order decides which element goes where, so it does how many sectors are touched.
  if (name.starts_with("copy if")) std::erase(all, "global_store_sectors");
  for (const auto& [kernel, column] : kPtxas)
    if (name == kernel) std::erase(all, column);
  return all;
}

}  // namespace

TEST_CASE("requests, sectors and wavefronts are those that Nsight Compute counts on an H200") {
  std::map<std::string, std::vector<Row>> groups;
  for (const Row& row : recorded()) groups[row.at("group")].push_back(row);
  REQUIRE(groups.size() == 12);
  for (const auto& [group, rows] : groups) {
    DYNAMIC_SECTION(group) {
      const auto counters = simulated(group);
      for (const Row& row : rows) {
        const std::string& name = row.at("name");
        REQUIRE(counters.contains(name));
        const nlohmann::json& ours = counters.at(name);
        for (const std::string& key : compared(group, name)) {
          INFO(name << ": " << key);
          CHECK(ours.at(key).get<long>() == std::stol(row.at(key)));
        }
        // The hardware now and then lets two lanes of a sector take turns although they update different
        // words: up to one sector in twenty.
        INFO(name << ": global_atomic_sectors");
        const double theirs = std::stod(row.at("global_atomic_sectors"));
        const double sectors = ours.at("global_atomic_sectors").get<double>();
        CHECK(std::abs(sectors - theirs) <= 0.05 * theirs);
      }
    }
  }
}
