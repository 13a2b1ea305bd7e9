#include "grader/sim/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grader/platform/files.h"
#include "grader/platform/json_file.h"
#include "grader/sim/host_lines.h"
#include "simulator/report/fold.h"

namespace ladder::cli {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

/// Why a launch was not looked at: the runtime's key, and words for a reader.
constexpr std::pair<const char*, const char*> kReasons[] = {
    {"alike", "like launches that were looked at"},
    {"large", "of more threads than LADDER_SIM_CHECK_THREADS allows"},
    {"late", "after the time for all checks was used up (LADDER_SIM_CHECK_SECONDS)"},
    {"unable", "of kernels whose check build is missing or needs what the simulator lacks"},
    {"stopped", "whose check did not come to its end: it took too long, waits for other work, or failed"}};

}  // namespace

bool SimReport::any_error() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const sim::Finding& finding) { return finding.severity == sim::Severity::error; });
}

bool SimReport::any_unsupported() const {
  return std::any_of(findings.begin(), findings.end(), [](const sim::Finding& finding) {
    return finding.kind == sim::FindingKind::unsupported && finding.severity == sim::Severity::error;
  });
}

SimReport read_sim_report(const fs::path& file) {
  SimReport report;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return report;
  for (const std::string& line : split_lines(read_file(file))) {
    const json entry = json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    if (entry.contains("finding")) report.findings.push_back(entry["finding"].get<sim::Finding>());
    if (entry.contains("looked_at")) {
      report.launches += entry["looked_at"].value("launches", std::uint64_t{0});
      report.looked_at += entry["looked_at"].value("whole", std::uint64_t{0});
      for (const auto& [reason, words] : kReasons)
        if (const auto n = entry["looked_at"].value(reason, std::uint64_t{0}); n > 0)
          report.left_out[reason] += n;
    }
    if (entry.contains("kernel")) report.kernels.push_back(entry["kernel"].get<sim::KernelRecord>());
  }
  name_host_lines(report.findings);
  report.findings = sim::fold(std::move(report.findings));
  return report;
}

std::string checked_note(const SimReport& report) {
  if (report.looked_at >= report.launches) return {};
  std::string reasons;
  for (const auto& [reason, words] : kReasons)
    if (const auto n = report.left_out.find(reason); n != report.left_out.end())
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", n->second, words);
  if (report.looked_at == 0)
    return fmt::format("not checked: findings were looked for in none of {} launches: {}", report.launches,
                       reasons);
  return fmt::format("findings were looked for in {} of {} launches; of the others, {}", report.looked_at,
                     report.launches, reasons);
}

json finding_json(const sim::Finding& finding) {
  json entry = finding;
  entry.erase("host_frames");
  if (!finding.file.empty()) {
    entry["file"] = fs::path(finding.file).filename().string();
    entry["path"] = finding.file;
  }
  if (finding.other && !finding.other->file.empty())
    entry["other"]["file"] = fs::path(finding.other->file).filename().string();
  for (std::size_t i = 0; i < finding.stuck.size(); ++i)
    entry["stuck"][i]["file"] = fs::path(finding.stuck[i].file).filename().string();
  if (const sim::AllocationName* a = sim::first_operand<sim::AllocationName>(finding.message)) {
    entry["allocation"] = {{"origin", a->origin}, {"size", a->size}};
    if (a->line > 0)
      entry["allocation"].update({{"file", fs::path(a->file).filename().string()}, {"line", a->line}});
  }
  return entry;
}

json report_json(const SimReport& report) {
  json all = {{"schema", kSchema}, {"findings", json::array()}, {"kernels", report.kernels}};
  for (const sim::Finding& finding : report.findings) all["findings"].push_back(finding_json(finding));
  if (report.launches != 0) {
    all["checked"] = {{"launches", report.launches}, {"looked_at", report.looked_at}};
    if (!report.left_out.empty()) all["checked"]["left_out"] = report.left_out;
  }
  return all;
}

}  // namespace ladder::cli
