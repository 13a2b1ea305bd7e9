#include "grader/protocol/worker_command.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ladder {
namespace {

/// Only a whole word stands for something: a part of one is somebody's folder that is called so.
bool replace(std::string& word, const std::string& name, const std::string& by) {
  if (word != name) return false;
  word = by;
  return true;
}

}  // namespace

std::vector<std::string> WorkerCommand::words(const std::string& module) const {
  const std::string folder = std::filesystem::path(module).parent_path().string();
  std::vector<std::string> all;
  for (std::vector<std::string> group : groups) {
    bool needs_module = false;
    for (std::string& word : group)
      needs_module |= replace(word, "{module}", module) || replace(word, "{folder}", folder);
    if (!needs_module || !module.empty()) all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

WorkerCommand WorkerCommand::read(const std::string& file) {
  const std::string what = "the worker's command in " + file;
  std::ifstream stream(file);
  const nlohmann::json list = nlohmann::json::parse(stream, nullptr, false);
  if (!list.is_array() || list.empty()) throw std::runtime_error(what + " is no JSON array");
  WorkerCommand command;
  try {
    for (const nlohmann::json& item : list)
      command.groups.push_back(item.is_array() ? item.get<std::vector<std::string>>()
                                               : std::vector{item.get<std::string>()});
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(what + " holds something else than words");
  }
  return command;
}

}  // namespace ladder
