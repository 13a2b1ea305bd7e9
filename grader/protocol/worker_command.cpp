#include "grader/protocol/worker_command.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ladder {
namespace {

/// Only a whole word stands for something: a part of one is somebody's folder that is called so.
bool replace(std::string& word, const char* name, const std::string& by) {
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
      needs_module |= replace(word, kModule, module) || replace(word, kFolder, folder);
    if (!needs_module || !module.empty()) all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

void WorkerCommand::add(const std::vector<std::string>& words) {
  for (const std::string& word : words) groups.push_back({word});
}

void WorkerCommand::write(const std::string& to) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& group : groups)
    if (group.size() == 1)
      list.push_back(group.front());
    else
      list.push_back(group);
  std::ofstream stream(to);
  stream << list.dump();
  if (!stream.flush()) throw std::runtime_error("the worker's command cannot be written to " + to);
  file = to;
}

WorkerCommand WorkerCommand::read(const std::string& file) {
  const std::string what = "the worker's command in " + file;
  std::ifstream stream(file);
  const nlohmann::json list = nlohmann::json::parse(stream, nullptr, false);
  if (!list.is_array() || list.empty()) throw std::runtime_error(what + " is no JSON array");
  WorkerCommand command{.file = file};
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
