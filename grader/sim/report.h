// What a program on the simulator reported, and its JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/report/json.h"

namespace ladder::cli {

struct SimReport {
  std::vector<sim::Finding> findings;  ///< folded
  std::vector<sim::KernelRecord> kernels;
  std::uint64_t launches = 0, looked_at = 0;  ///< while findings were wanted; those looked at to their end
  std::map<std::string, std::uint64_t> left_out;  ///< of the others: how many for which reason
  bool any_error() const;
  /// Whether a launch needed what the simulator lacks: the program's results are then not a GPU's.
  bool any_unsupported() const;
};

/// Reads what the runtime wrote to LADDER_SIM_REPORT; a line cut off by a killed program is left out.
SimReport read_sim_report(const std::filesystem::path& file);

/// What is to be said where launches were not looked at: how many, and why; that nothing was checked where
/// none was. Empty where all were.
std::string checked_note(const SimReport& report);

/// A finding as `--json` shows it: the file's name, and where it lies under "path"; under "allocation" the
/// memory that its message names: {"origin", "size", "file", "line"}, the last two where they are known.
nlohmann::json finding_json(const sim::Finding& finding);

/// {"schema": 1, "findings": […], "kernels": […], "checked": {"launches": N, "looked_at": N, "left_out":
/// {"alike": N}}}; the last where findings were wanted.
nlohmann::json report_json(const SimReport& report);

}  // namespace ladder::cli
