#include "grader/protocol/verdict.h"

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
    {Outcome::idea_missing, "idea_missing"},
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
                                                size, gigabytes_per_s, gigaflops_per_s, speed_of_light, roof,
                                                bound, beside_ms)

namespace {

void to_json(nlohmann::json& json, const IdeaResult& idea) {
  json = {{"works", idea.works}, {"metric", idea.metric}, {"value", idea.value}};
  if (idea.at_least) json["at_least"] = *idea.at_least;
  if (idea.at_most) json["at_most"] = *idea.at_most;
  if (!idea.says.empty()) json["says"] = idea.says;
  if (idea.line > 0) json.update({{"file", idea.file}, {"line", idea.line}});
}

IdeaResult idea_from(const nlohmann::json& json) {
  IdeaResult idea;
  read(json, "works", idea.works);
  read(json, "metric", idea.metric);
  read(json, "value", idea.value);
  if (json.contains("at_least")) idea.at_least = json.at("at_least").get<double>();
  if (json.contains("at_most")) idea.at_most = json.at("at_most").get<double>();
  read(json, "says", idea.says);
  read(json, "file", idea.file);
  read(json, "line", idea.line);
  return idea;
}

}  // namespace

const sim::Finding* leading_finding(const Verdict& verdict) {
  const bool known = verdict.told_first && *verdict.told_first < verdict.findings.size();
  return known ? &verdict.findings[*verdict.told_first] : nullptr;
}

void to_json(nlohmann::json& json, const Verdict& verdict) {
  json = {{"lesson", verdict.lesson},
          {"rung", verdict.rung},
          {"baseline", verdict.baseline},
          {"outcome", to_string(verdict.outcome)},
          {"headline", verdict.headline},
          {"detail", verdict.detail},
          {"advice", verdict.advice},
          {"diagnosis", verdict.diagnosis},
          {"cases_passed", verdict.cases_passed},
          {"cases_total", verdict.cases_total},
          {"printed", verdict.printed},
          {"findings", verdict.findings},
          {"kernels", verdict.kernels},
          {"calls", verdict.calls}};
  if (verdict.idea) to_json(json["idea"], *verdict.idea);
  if (!verdict.failed_case.empty()) json["failed_case"] = verdict.failed_case;
  if (verdict.told_first) json["told_first"] = *verdict.told_first;
  if (verdict.timing) json["timing"] = *verdict.timing;
  if (!verdict.more_timings.empty()) json["more_timings"] = verdict.more_timings;
}

void from_json(const nlohmann::json& json, Verdict& verdict) {
  read(json, "lesson", verdict.lesson);
  read(json, "rung", verdict.rung);
  read(json, "baseline", verdict.baseline);
  if (const auto at = json.find("outcome"); at != json.end())
    verdict.outcome = outcome_from(at->get<std::string>());
  read(json, "headline", verdict.headline);
  read(json, "detail", verdict.detail);
  read(json, "advice", verdict.advice);
  read(json, "diagnosis", verdict.diagnosis);
  read(json, "cases_passed", verdict.cases_passed);
  read(json, "cases_total", verdict.cases_total);
  read(json, "printed", verdict.printed);
  read(json, "findings", verdict.findings);
  read(json, "kernels", verdict.kernels);
  read(json, "calls", verdict.calls);
  if (const auto at = json.find("idea"); at != json.end()) verdict.idea = idea_from(*at);
  read(json, "failed_case", verdict.failed_case);
  if (const auto at = json.find("told_first"); at != json.end()) verdict.told_first = at->get<std::size_t>();
  if (const auto at = json.find("timing"); at != json.end()) verdict.timing = at->get<Timing>();
  read(json, "more_timings", verdict.more_timings);
}

}  // namespace ladder
