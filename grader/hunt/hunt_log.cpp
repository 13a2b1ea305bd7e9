#include "grader/hunt/hunt_log.h"

#include "grader/platform/files.h"
#include "grader/platform/json_file.h"

namespace ladder::hunt {
namespace {

/// By the mutant's name, which a changed order or number leaves as it is.
std::string key_of(const Exercise& exercise) {
  return exercise.lesson->short_name + "/" + exercise.mutant.name;
}

}  // namespace

HuntLog::HuntLog(const cli::Project& project) : file_(project.state() / "hunts.json") {
  all_ = cli::load_json(file_);
  unreadable_ = !all_.is_null() && !all_.is_object();
  if (!all_.is_object()) all_ = {{"schema", cli::kSchema}, {"exercises", nlohmann::json::object()}};
}

Hunted HuntLog::of(const Exercise& exercise) const {
  const auto exercises = all_.find("exercises");
  if (exercises == all_.end() || !exercises->is_object()) return {};
  const auto kept = exercises->find(key_of(exercise));
  if (kept == exercises->end() || !kept->is_object()) return {};
  const auto flag = [&](const char* name) {
    const auto value = kept->find(name);
    return value != kept->end() && value->is_boolean() && value->get<bool>();
  };
  const auto guesses = kept->find("guesses");
  const bool counted = guesses != kept->end() && guesses->is_number_integer();
  return {flag("found"), flag("mended"), counted ? guesses->get<int>() : 0};
}

void HuntLog::note(const Exercise& exercise, const Hunted& hunted) {
  if (unreadable_) cli::keep_numbered_copy(file_, file_.parent_path());
  unreadable_ = false;
  if (!all_["exercises"].is_object()) all_["exercises"] = nlohmann::json::object();
  all_["exercises"][key_of(exercise)] = {
      {"found", hunted.found}, {"mended", hunted.mended}, {"guesses", hunted.guesses}};
  std::filesystem::create_directories(file_.parent_path());
  cli::write_file(file_, all_.dump(2) + "\n");
}

}  // namespace ladder::hunt
