#include "grader/records/results.h"

#include <fmt/chrono.h>

#include <ctime>
#include <exception>

#include "grader/course/progress.h"
#include "grader/platform/files.h"
#include "grader/platform/json_file.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// @param key  of Progress
fs::path file_of(const fs::path& state, const std::string& key, const std::string& device_kind) {
  return state / "results" / (key + "." + device_kind + ".json");
}

}  // namespace

void keep_results(const fs::path& state, const Selection& selection, const LessonRunResult& result) {
  const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  for (const RungResult& rung : result.rungs) {
    json kept = {{"schema", kSchema},
                 {"verdict", rung.verdict},
                 {"device", result.device.name},
                 {"modelled", result.device.modelled},
                 {"at", now},
                 {"hash", sha256(rung.source)}};
    const auto write = [&](const fs::path& file) {
      write_file(file, kept.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
    };
    const Outcome outcome = rung.verdict.outcome;
    if ((outcome == Outcome::passed || outcome == Outcome::idea_missing) && rung.verdict.timing)
      write(file_of(state, Progress::key(*selection.lesson, *rung.rung), result.device.kind));
    kept["open_todos"] = json::array();
    for (const Todo& todo : rung.open_todos)
      kept["open_todos"].push_back({{"number", todo.number}, {"line", todo.line}, {"text", todo.text}});
    write(latest_file(state, *selection.lesson, *rung.rung));
  }
}

fs::path latest_file(const fs::path& state, const LessonInfo& lesson, const RungInfo& rung) {
  return file_of(state, Progress::key(lesson, rung), "latest");
}

std::optional<LatestResult> latest_result(const fs::path& state, const LessonInfo& lesson,
                                          const RungInfo& rung) {
  const json kept = load_json(latest_file(state, lesson, rung));
  if (!kept.is_object()) return std::nullopt;
  try {
    LatestResult result;
    result.verdict = kept.at("verdict").get<Verdict>();
    for (const json& todo : kept.at("open_todos"))
      result.open_todos.push_back({todo.at("number"), todo.at("line"), todo.at("line"), todo.at("text")});
    result.device = kept.value("device", "");
    result.modelled = kept.value("modelled", false);
    result.at = kept.value("at", "");
    result.hash = kept.value("hash", "");
    return result;
  } catch (const std::exception&) {  // another version's; the next check replaces it
    return std::nullopt;
  }
}

std::optional<KeptResult> kept_result(const fs::path& state, const LessonInfo& lesson, const RungInfo& rung,
                                      const std::string& device_kind) {
  fs::path file;
  for (const std::string& key : Progress::keys(lesson, rung))
    if (file = file_of(state, key, device_kind); fs::exists(fs::symlink_status(file))) break;
  const json kept = load_json(file);
  if (!kept.is_object()) return std::nullopt;
  try {
    KeptResult result;
    result.verdict = kept.at("verdict").get<Verdict>();
    result.device_kind = device_kind;
    result.device = kept.value("device", "");
    result.modelled = kept.value("modelled", false);
    result.at = kept.value("at", "");
    result.hash = kept.value("hash", "");
    if (!result.verdict.timing) return std::nullopt;
    return result;
  } catch (const std::exception&) {  // another version's; the next run replaces it
    return std::nullopt;
  }
}

}  // namespace ladder::cli
