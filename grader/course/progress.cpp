#include "grader/course/progress.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "grader/platform/files.h"
#include "grader/platform/json_file.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

const json* entry_in(const json& rungs, const std::string& name) {
  const auto found = rungs.find(name);
  return found != rungs.end() && found->is_object() ? &*found : nullptr;
}

/// The rung's entry to write to. What was filed under a former name is taken over, and left there for older
/// versions of the course.
json& entry_for(json& data, const LessonInfo& lesson, const RungInfo& rung) {
  json& rungs = data["rungs"];
  for (const std::string& name : Progress::keys(lesson, rung)) {
    const json* found = entry_in(rungs, name);
    if (found == nullptr) continue;
    const json kept = *found;  // the next line may move it
    return rungs[Progress::key(lesson, rung)] = kept;
  }
  return rungs[Progress::key(lesson, rung)] = json::object();
}

json empty() { return {{"schema", kSchema}, {"rungs", json::object()}}; }

std::string text(const json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A rung's own hints are counted under "hints", those of its TODO(2) under "todo_hints"."2".
int hint_count(const json& entry, int todo) {
  const json nothing = json::object();
  const json& counts = todo == 0 ? entry : entry.contains("todo_hints") ? entry["todo_hints"] : nothing;
  const std::string key = todo == 0 ? "hints" : std::to_string(todo);
  if (!counts.is_object()) return 0;
  const auto found = counts.find(key);
  return found != counts.end() && found->is_number_integer() ? found->get<int>() : 0;
}

}  // namespace

const char* to_string(RungState state) {
  switch (state) {
    case RungState::untouched:
      return "untouched";
    case RungState::started:
      return "started";
    case RungState::failed:
      return "failed";
    case RungState::idea_missing:
      return "idea_missing";
    case RungState::passed:
      return "passed";
    case RungState::changed:
      return "changed";
  }
  return "?";
}

Progress::Progress(fs::path state_folder) : file_(std::move(state_folder) / "progress.json") {
  data_ = load();
}

json Progress::load() {
  json data = load_json(file_);
  if (data.is_null()) return empty();
  if (data.is_object() && data.value("schema", json()).is_number() && data["rungs"].is_object()) return data;
  unreadable_ = true;
  notice_ =
      fmt::format("{} cannot be read as a progress file. The next run puts it into {} and begins a new one.",
                  file_.string(), put_aside().string());
  return empty();
}

void Progress::update(const std::function<void(json&)>& change) {
  const FileLock lock(file_.parent_path() / "progress.lock");
  unreadable_ = false;
  data_ = load();
  // Never just overwritten: it may hold a term's work, and a person can often mend it.
  if (unreadable_) set_aside(file_, put_aside());
  change(data_);
  write_file(file_, data_.dump(1) + "\n");
}

std::string Progress::key(const LessonInfo& lesson, const RungInfo& rung) {
  return lesson.short_name + "/" + rung.name;
}

std::vector<std::string> Progress::keys(const LessonInfo& lesson, const RungInfo& rung) {
  std::vector<std::string> lessons = {lesson.short_name}, rungs = {rung.name}, all;
  lessons.insert(lessons.end(), lesson.formerly.begin(), lesson.formerly.end());
  rungs.insert(rungs.end(), rung.formerly.begin(), rung.formerly.end());
  for (const std::string& l : lessons)
    for (const std::string& r : rungs) all.push_back(l + "/" + r);
  return all;
}

const json* Progress::entry(const LessonInfo& lesson, const RungInfo& rung) const {
  for (const std::string& name : keys(lesson, rung))
    if (const json* found = entry_in(data_.at("rungs"), name)) return found;
  return nullptr;
}

void Progress::record_run(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                          std::string_view outcome, std::string_view device) {
  const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  update([&](json& data) {
    json& entry = entry_for(data, lesson, rung);
    entry["last"] = {{"hash", sha256(contents)}, {"outcome", outcome}, {"device", device}, {"at", now}};
    if (outcome == "passed") entry["passed"] = entry["last"];
    data["last_run"] = key(lesson, rung);
  });
}

RungState Progress::state(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                          std::string_view skeleton) const {
  const json* found = entry(lesson, rung);
  const std::string hash = sha256(contents);
  const json nothing = json::object();
  const auto part = [&](const char* name) -> const json& {
    return found != nullptr && found->contains(name) && (*found)[name].is_object() ? (*found)[name] : nothing;
  };
  const json& last = part("last");
  // The same file may pass once and fail later: a race, or a case that another seed made.
  const bool ran_last = text(last, "hash") == hash;
  if (ran_last && text(last, "outcome") == "passed") return RungState::passed;
  if (contents == skeleton) return RungState::untouched;
  if (ran_last) return text(last, "outcome") == "idea_missing" ? RungState::idea_missing : RungState::failed;
  if (text(part("passed"), "hash") == hash) return RungState::passed;
  return part("passed").empty() ? RungState::started : RungState::changed;
}

bool Progress::ran_last(const LessonInfo& lesson, const RungInfo& rung) const {
  const std::string last = text(data_, "last_run");
  const std::vector<std::string> names = keys(lesson, rung);
  return std::find(names.begin(), names.end(), last) != names.end();
}

std::optional<Progress::RunRecord> Progress::run(const LessonInfo& lesson, const RungInfo& rung,
                                                 const char* which) const {
  const json* found = entry(lesson, rung);
  if (found == nullptr || !found->contains(which) || !(*found)[which].is_object()) return std::nullopt;
  const json& run = (*found)[which];
  return RunRecord{text(run, "outcome"), text(run, "device"), text(run, "at")};
}

std::optional<Progress::RunRecord> Progress::last_run(const LessonInfo& lesson, const RungInfo& rung) const {
  return run(lesson, rung, "last");
}

std::optional<Progress::RunRecord> Progress::last_pass(const LessonInfo& lesson, const RungInfo& rung) const {
  return run(lesson, rung, "passed");
}

bool Progress::tried(const LessonInfo& lesson, const RungInfo& rung, std::string_view skeleton) const {
  const json* found = entry(lesson, rung);
  if (found == nullptr || !found->contains("last") || !(*found)["last"].is_object()) return false;
  const std::string hash = text((*found)["last"], "hash");
  return !hash.empty() && hash != sha256(skeleton);
}

int Progress::hints_shown(const LessonInfo& lesson, const RungInfo& rung, int todo) const {
  const json* found = entry(lesson, rung);
  return found == nullptr ? 0 : hint_count(*found, todo);
}

void Progress::set_hints_shown(const LessonInfo& lesson, const RungInfo& rung, int count, int todo) {
  update([&](json& data) {
    json& entry = entry_for(data, lesson, rung);
    if (todo == 0) {
      entry["hints"] = count;
    } else {
      if (!entry["todo_hints"].is_object()) entry["todo_hints"] = json::object();
      entry["todo_hints"][std::to_string(todo)] = count;
    }
  });
}

int Progress::all_hints_shown(const LessonInfo& lesson, const RungInfo& rung) const {
  std::set<int> todos = {0};
  for (const Hint& hint : rung.hints) todos.insert(hint.todo);
  int all = 0;
  for (const int todo : todos) all += hints_shown(lesson, rung, todo);
  return all;
}

std::optional<double> Progress::prediction(const LessonInfo& lesson, const RungInfo& rung,
                                           const std::string& key) const {
  const json* found = entry(lesson, rung);
  const json* all = found == nullptr ? nullptr : entry_in(*found, "predictions");
  if (all == nullptr || !all->contains(key) || !(*all)[key].is_number()) return std::nullopt;
  return (*all)[key].get<double>();
}

void Progress::set_prediction(const LessonInfo& lesson, const RungInfo& rung, const std::string& key,
                              double value) {
  update([&](json& data) {
    json& entry = entry_for(data, lesson, rung);
    if (!entry["predictions"].is_object()) entry["predictions"] = json::object();
    entry["predictions"][key] = value;
  });
}

}  // namespace ladder::cli
