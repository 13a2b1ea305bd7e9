#include "grader/harness/verdict.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace ladder {
namespace {

constexpr std::pair<Outcome, const char*> kOutcomes[] = {
    {Outcome::passed, "passed"},
    {Outcome::build_failed, "build_failed"},
    {Outcome::launch_failed, "launch_failed"},
    {Outcome::finding, "finding"},
    {Outcome::wrong_values, "wrong_values"},
    {Outcome::input_changed, "input_changed"},
    {Outcome::wrote_outside, "wrote_outside"},
    {Outcome::crashed, "crashed"},
    {Outcome::exited, "exited"},
    {Outcome::timed_out, "timed_out"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::impossible_time, "impossible_time"},
    {Outcome::not_run, "not_run"},
    {Outcome::harness_failed, "harness_failed"},
};

template <class T>
void read(const nlohmann::json& json, const char* key, T& into) {
  if (const auto at = json.find(key); at != json.end()) at->get_to(into);
}

}  // namespace

const char* to_string(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes)
    if (value == outcome) return name;
  return "?";
}

Outcome outcome_from(const std::string& name) {
  for (const auto& [value, text] : kOutcomes)
    if (name == text) return value;
  throw std::invalid_argument("no outcome is called '" + name + "'");
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Timing, median_ms, q1_ms, q3_ms, samples, stable, modelled,
                                                size, gigabytes_per_s, gigaflops_per_s, share_of_light, bound)

void to_json(nlohmann::json& json, const Verdict& verdict) {
  json = {{"lesson", verdict.lesson},
          {"rung", verdict.rung},
          {"outcome", to_string(verdict.outcome)},
          {"headline", verdict.headline},
          {"detail", verdict.detail},
          {"advice", verdict.advice},
          {"cases_passed", verdict.cases_passed},
          {"cases_total", verdict.cases_total},
          {"findings", verdict.findings},
          {"kernels", verdict.kernels}};
  if (verdict.timing) json["timing"] = *verdict.timing;
}

void from_json(const nlohmann::json& json, Verdict& verdict) {
  read(json, "lesson", verdict.lesson);
  read(json, "rung", verdict.rung);
  if (const auto at = json.find("outcome"); at != json.end())
    verdict.outcome = outcome_from(at->get<std::string>());
  read(json, "headline", verdict.headline);
  read(json, "detail", verdict.detail);
  read(json, "advice", verdict.advice);
  read(json, "cases_passed", verdict.cases_passed);
  read(json, "cases_total", verdict.cases_total);
  read(json, "findings", verdict.findings);
  read(json, "kernels", verdict.kernels);
  if (const auto at = json.find("timing"); at != json.end()) verdict.timing = at->get<Timing>();
}

}  // namespace ladder

namespace sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    Counters, inst_executed, thread_inst_executed, global_load_requests, global_load_sectors,
    global_store_requests, global_store_sectors, global_atomic_requests, global_atomic_sectors,
    shared_load_requests, shared_load_wavefronts, shared_store_requests, shared_store_wavefronts,
    shared_atomic_requests, branches, divergent_branches, barriers)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OtherParty, access, line, block, thread)

void to_json(nlohmann::json& json, const KernelRecord& record) {
  json = {{"name", record.name},
          {"launch", record.launch},
          {"grid", record.grid},
          {"block", record.block},
          {"dynamic_shared_bytes", record.dynamic_shared_bytes},
          {"modelled_ns", record.modelled_ns},
          {"bound", record.bound},
          {"counters", record.counters}};
}

void from_json(const nlohmann::json& json, KernelRecord& record) {
  const KernelRecord absent;
  record.name = json.value("name", absent.name);
  record.launch = json.value("launch", absent.launch);
  record.grid = json.value("grid", absent.grid);
  record.block = json.value("block", absent.block);
  record.dynamic_shared_bytes = json.value("dynamic_shared_bytes", absent.dynamic_shared_bytes);
  record.modelled_ns = json.value("modelled_ns", absent.modelled_ns);
  record.bound = json.value("bound", absent.bound);
  record.counters = json.value("counters", absent.counters);
}

void to_json(nlohmann::json& json, const Finding& finding) {
  json = {{"kind", finding.kind},     {"space", finding.space},       {"access", finding.access},
          {"size", finding.size},     {"severity", finding.severity}, {"kernel", finding.kernel},
          {"file", finding.file},     {"line", finding.line},         {"block", finding.block},
          {"thread", finding.thread}, {"count", finding.count},       {"message", finding.message}};
  if (finding.other) json["other"] = *finding.other;
}

void from_json(const nlohmann::json& json, Finding& finding) {
  const Finding absent;
  finding.kind = json.value("kind", absent.kind);
  finding.space = json.value("space", absent.space);
  finding.access = json.value("access", absent.access);
  finding.size = json.value("size", absent.size);
  finding.severity = json.value("severity", absent.severity);
  finding.kernel = json.value("kernel", absent.kernel);
  finding.file = json.value("file", absent.file);
  finding.line = json.value("line", absent.line);
  finding.block = json.value("block", absent.block);
  finding.thread = json.value("thread", absent.thread);
  finding.count = json.value("count", absent.count);
  finding.message = json.value("message", absent.message);
  finding.other.reset();
  if (const auto at = json.find("other"); at != json.end() && at->is_object())
    finding.other = at->get<OtherParty>();
}

}  // namespace sim
