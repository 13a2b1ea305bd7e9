#include "grader/records/modelled.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/json_file.h"

namespace ladder::cli {
namespace {

// Of a launch only some warps' addresses are sampled for the model, which ones depends on the host's threads:
// times of one kernel were seen to differ by 13 %.
constexpr double kVaries = 0.25;

}  // namespace

const Modelled::Time* Modelled::beside(const RungInfo& rung, const Timing& timing) const {
  const auto found = rungs.find(rung.name);
  return !timing.modelled || found == rungs.end() || found->second.size != timing.size ? nullptr
                                                                                       : &found->second;
}

std::vector<std::string> Modelled::outdated(const std::vector<Verdict>& verdicts) const {
  std::vector<std::string> all;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.timing || !verdict.timing->modelled) continue;
    const auto found = rungs.find(verdict.rung);
    const bool same = found != rungs.end() && found->second.size == verdict.timing->size &&
                      std::abs(verdict.timing->median_ms / found->second.median_ms - 1) <= kVaries;
    if (!same) all.push_back(verdict.rung);
  }
  return all;
}

nlohmann::json modelled_of(const nlohmann::json& run, const LessonInfo& lesson) {
  const auto refuse = [&](const std::string& why) -> Failure {
    return Failure(ExitCode::usage, fmt::format("this run of {} is not to be recorded: {}", lesson.name, why),
                   fmt::format("Make it by: ladder run {} --solution --device sim --json FILE", lesson.id()));
  };
  if (run.value("side", "") != "solution") throw refuse("it is not of the solutions");
  nlohmann::json kept = {{"schema", kSchema}, {"lesson", lesson.name}, {"rungs", nlohmann::json::array()}};
  for (const nlohmann::json& rung : run["rungs"]) {
    const std::string name = rung.at("rung").get<std::string>(), outcome = rung.value("outcome", "");
    if (outcome == "not_run") continue;
    if (outcome != "passed") throw refuse(name + " did not pass");
    if (!rung.contains("timing") || !rung["timing"].is_object()) continue;
    const nlohmann::json& timing = rung["timing"];
    kept["rungs"].push_back(
        {{"rung", name}, {"size", timing.at("size")}, {"median_ms", timing.at("median_ms")}});
  }
  return kept;
}

std::optional<Modelled> load_modelled(const LessonInfo& lesson) {
  const std::filesystem::path file = lesson.folder / "modelled.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const nlohmann::json all = nlohmann::json::parse(read_file(file));
    Modelled modelled;
    for (const nlohmann::json& rung : all.at("rungs"))
      modelled.rungs[rung.at("rung").get<std::string>()] = {rung.at("size").get<std::string>(),
                                                            rung.at("median_ms").get<double>()};
    return modelled;
  } catch (const nlohmann::json::exception& error) {
    throw Failure(ExitCode::environment, fmt::format("{} cannot be read: {}", file.string(), error.what()),
                  "ladder dev record writes it anew from a run.");
  }
}

}  // namespace ladder::cli
