#include "grader/cli/sim/report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "grader/cli/files.h"
#include "simulator/memory/name.h"

namespace ladder::cli {
namespace fs = std::filesystem;
using nlohmann::json;

bool SimReport::any_error() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const sim::Finding& finding) { return finding.severity == "error"; });
}

SimReport read_sim_report(const fs::path& file) {
  SimReport report;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return report;
  for (const std::string& line : split_lines(read_file(file))) {
    const json entry = json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    if (entry.contains("finding")) report.findings.push_back(entry["finding"].get<sim::Finding>());
    if (entry.contains("allocation")) {
      const json& a = entry["allocation"];
      report.memory.push_back({a.value("origin", ""), a.value("size", std::uint64_t{0}), "", 0,
                               a.value("host_frames", std::vector<std::string>{})});
    }
    if (entry.contains("looked_at")) {
      report.launches += entry["looked_at"].value("launches", std::uint64_t{0});
      report.looked_at += entry["looked_at"].value("whole", std::uint64_t{0});
    }
    if (entry.contains("kernel")) report.kernels.push_back(entry["kernel"].get<sim::KernelRecord>());
  }
  name_host_lines(report.findings, report.memory);
  report.findings = fold(std::move(report.findings));
  return report;
}

std::vector<sim::Finding> fold(std::vector<sim::Finding> findings) {
  std::vector<sim::Finding> folded;
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, int,
                         int, std::string>;
  std::map<Key, std::size_t> known;
  for (sim::Finding& f : findings) {
    // Findings without a line, such as a bad argument, are told apart by their words.
    const Key key{f.kind,
                  f.space,
                  f.access,
                  f.severity,
                  f.line > 0 ? f.kernel : f.message,
                  f.file,
                  f.line,
                  f.other ? f.other->line : 0,
                  f.other ? f.other->file : ""};
    const auto [at, fresh] = known.try_emplace(key, folded.size());
    if (fresh)
      folded.push_back(std::move(f));
    else
      folded[at->second].count += f.count;
  }
  return folded;
}

json finding_json(const sim::Finding& finding, const std::vector<AskedFor>& memory) {
  json entry = finding;
  entry.erase("host_frames");
  if (!finding.file.empty()) {
    entry["file"] = fs::path(finding.file).filename().string();
    entry["path"] = finding.file;
  }
  if (finding.other && !finding.other->file.empty())
    entry["other"]["file"] = fs::path(finding.other->file).filename().string();
  for (const AskedFor& a : memory) {
    if (sim::memory::named_at(finding.message, a.origin) == std::string::npos) continue;
    entry["allocation"] = {{"origin", a.origin}, {"size", a.size}};
    if (a.line > 0)
      entry["allocation"].update({{"file", fs::path(a.file).filename().string()}, {"line", a.line}});
    break;
  }
  return entry;
}

json report_json(const SimReport& report) {
  json all = {{"schema", 1}, {"findings", json::array()}, {"kernels", report.kernels}};
  for (const sim::Finding& finding : report.findings)
    all["findings"].push_back(finding_json(finding, report.memory));
  if (report.launches != 0) all["checked"] = {{"launches", report.launches}, {"looked_at", report.looked_at}};
  return all;
}

}  // namespace ladder::cli
