#include "grader/platform/json_file.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

using nlohmann::json;

json to_json(const LessonRunResult& result, const LessonInfo& lesson, Side side) {
  json all = {
      {"schema", kSchema}, {"lesson", lesson.name}, {"title", lesson.title}, {"side", to_string(side)}};
  all["device"] = result.device.name.empty() ? json::object() : json(result.device);
  all["rungs"] = json::array();
  all["findings"] = json::array();
  all["kernels"] = json::array();
  const auto with_rung = [](json list, const std::string& rung, json& into) {
    for (json& item : list) {
      item["rung"] = rung;
      into.push_back(std::move(item));
    }
  };
  for (const RungResult& rung : result.rungs) {
    json verdict = rung.verdict;
    with_rung(verdict["findings"], rung.verdict.rung, all["findings"]);
    with_rung(verdict["kernels"], rung.verdict.rung, all["kernels"]);
    json todos = json::array();
    for (const Todo& todo : rung.open_todos)
      todos.push_back({{"number", todo.number}, {"line", todo.line}, {"text", todo.text}});
    verdict["open_todos"] = todos;
    verdict["points"] = rung.rung->points;
    all["rungs"].push_back(std::move(verdict));
  }
  all["baselines"] = result.baselines;
  if (result.reference_ms) all["reference_ms"] = *result.reference_ms;
  if (!result.peaks.is_null()) all["peaks"] = result.peaks;
  return all;
}

}  // namespace ladder::cli
