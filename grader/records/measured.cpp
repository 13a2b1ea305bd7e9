#include "grader/records/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/json_file.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

using nlohmann::json;

json kept_of(const json& verdict) {
  json kept;
  for (const char* key : {"lesson", "rung", "baseline", "outcome", "headline", "cases_passed", "cases_total",
                          "timing", "more_timings"})
    if (verdict.contains(key)) kept[key] = verdict[key];
  return kept;
}

}  // namespace

json worth_keeping(const json& run, const LessonInfo& lesson, const std::string& date) {
  const auto refuse = [&](const std::string& why) -> Failure {
    return Failure(ExitCode::usage, fmt::format("this run of {} is not to be recorded: {}", lesson.name, why),
                   fmt::format("Make it by: ladder run {} --solution --device gpu --json FILE", lesson.id()));
  };
  if (run.value("side", "") != "solution") throw refuse("it is not of the solutions");
  if (run["device"].value("machine", "") != "gpu") throw refuse("its times are modelled, not measured");
  json kept = {{"schema", kSchema}, {"lesson", lesson.name}, {"date", date}};
  for (const char* key : {"name", "machine", "compute_capability", "modelled", "time_size"})
    kept["device"][key] = run["device"].value(key, json());
  for (const char* key : {"reference_ms", "peaks"})
    if (run.contains(key)) kept[key] = run[key];
  for (const RungInfo& rung : lesson.rungs) {
    const auto found = std::find_if(run["rungs"].begin(), run["rungs"].end(),
                                    [&](const json& verdict) { return verdict["rung"] == rung.name; });
    if (found == run["rungs"].end()) throw refuse("it lacks " + rung.name);
    if (found->value("outcome", "") != "passed") throw refuse(rung.name + " did not pass");
    kept["rungs"].push_back(kept_of(*found));
  }
  kept["baselines"] = json::array();
  for (const json& baseline : run["baselines"]) kept["baselines"].push_back(kept_of(baseline));
  return kept;
}

std::optional<Measured> load_measured(const LessonInfo& lesson) {
  const std::filesystem::path file = lesson.folder / "measured.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const json all = json::parse(read_file(file));
    Measured measured;
    measured.date = all.at("date").get<std::string>();
    const json& device = all.at("device");
    measured.device.name = device.at("name").get<std::string>();
    measured.device.kind = device.at("machine").get<std::string>();
    measured.device.compute_capability = device.at("compute_capability").get<std::string>();
    measured.device.time_size = device.at("time_size").get<std::string>();
    measured.rungs = all.at("rungs").get<std::vector<Verdict>>();
    measured.baselines = all.at("baselines").get<std::vector<Verdict>>();
    measured.peaks = all.value("peaks", json());
    if (all.contains("reference_ms")) measured.reference_ms = all["reference_ms"].get<double>();
    return measured;
  } catch (const json::exception& error) {
    throw Failure(ExitCode::environment, fmt::format("{} cannot be read: {}", file.string(), error.what()),
                  "ladder dev record writes it anew from a run.");
  }
}

std::string Recorded::label() const {
  const std::string_view maker = "NVIDIA ";
  const std::string name = device.starts_with(maker) ? device.substr(maker.size()) : device;
  return tr("recorded, {}, {}", name, date);
}

const Timing* Recorded::of(const RungInfo& rung) const {
  const auto found = rungs.find(rung.name);
  return found == rungs.end() ? nullptr : &found->second;
}

std::optional<double> Recorded::times_below(const LessonInfo& lesson, const RungInfo& rung) const {
  if (&rung == &lesson.rungs.front()) return std::nullopt;
  const Timing* here = of(rung);
  const Timing* below = of(*(&rung - 1));
  if (here == nullptr || below == nullptr || here->size != below->size) return std::nullopt;
  return below->median_ms / here->median_ms;
}

std::optional<Recorded> load_recorded(const LessonInfo& lesson) {
  std::optional<Measured> measured = load_measured(lesson);
  if (!measured) return std::nullopt;
  Recorded recorded{measured->device.name, measured->date, {}};
  for (Verdict& verdict : measured->rungs)
    if (verdict.timing && !verdict.timing->modelled && verdict.timing->median_ms > 0)
      recorded.rungs.emplace(verdict.rung, std::move(*verdict.timing));
  if (recorded.rungs.empty()) return std::nullopt;
  return recorded;
}

json to_json(const Recorded& recorded, const std::vector<const RungInfo*>& rungs) {
  json all = {{"label", recorded.label()}, {"device", recorded.device}, {"date", recorded.date}};
  all["rungs"] = json::array();
  for (const RungInfo* rung : rungs)
    if (const Timing* timing = recorded.of(*rung)) {
      const json figures = {{"median_ms", timing->median_ms},
                            {"q1_ms", timing->q1_ms},
                            {"q3_ms", timing->q3_ms},
                            {"samples", timing->samples},
                            {"size", timing->size},
                            {"stable", timing->stable},
                            {"modelled", false}};
      all["rungs"].push_back(json{{"rung", rung->name}, {"timing", figures}});
    }
  return all;
}

}  // namespace ladder::cli
