#include "tests/corpora/litmus/corpus.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "grader/platform/process/run_process.h"

namespace litmus_corpus {
namespace fs = std::filesystem;
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

/// What follows @p label in a comment line.
bool after(const std::string& line, const std::string& label, std::string& rest) {
  if (!line.starts_with("// " + label + ":")) return false;
  rest = trimmed(line.substr(label.size() + 4));
  return true;
}

/// States separated by commas; or "any of 0 1": each location may have each of these values.
std::set<State> allowed_states(const Shape& shape, const std::string& text) {
  static const std::string kAny = "any of ";
  if (!text.starts_with(kAny)) {
    const std::vector<std::string> states = split(text, ',');
    return {states.begin(), states.end()};
  }
  std::set<State> states{""};
  for (std::size_t l = 0; l < shape.locations.size(); ++l) {
    std::set<State> longer;
    for (const State& state : states)
      for (const std::string& value : split(text.substr(kAny.size()), ' '))
        longer.insert(state + (l == 0 ? "" : " ") + value);
    states = std::move(longer);
  }
  return states;
}

/// "1 0 causality" is the state "1 0" and the axiom.
void add_forbidden(Shape& shape, const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  State state;
  std::string axiom;
  for (std::size_t i = 0; i < words.size(); ++i)
    (i < shape.locations.size() ? state : axiom) +=
        (i == 0 || i == shape.locations.size() ? "" : " ") + words[i];
  shape.forbidden[state] = axiom;
}

void read_file(const fs::path& file, std::vector<Shape>& shapes) {
  std::ifstream stream(file);
  Shape next;
  std::string architecture;
  for (std::string line, rest; std::getline(stream, line);) {
    if (after(line, "arch", rest)) {
      architecture = rest;
    } else if (after(line, "state", rest)) {
      next = {};
      next.locations = split(rest, ' ');
    } else if (after(line, "allowed", rest)) {
      next.allowed = allowed_states(next, rest);
    } else if (after(line, "forbidden", rest)) {
      for (const std::string& state : split(rest, ',')) add_forbidden(next, state);
    } else if (line.starts_with("SHAPE(") || line.starts_with("SHAPE_ONCE(")) {
      const std::size_t open = line.find('(') + 1;
      next.architecture = architecture;
      next.file = file.filename().string();
      next.name = line.substr(open, line.find(',') - open);
      for (const auto& [state, axiom] : next.forbidden) next.allowed.erase(state);
      if (next.allowed.empty()) throw std::runtime_error(next.file + ": " + next.name + " has no table");
      shapes.push_back(next);
      next = {};
    }
  }
}

}  // namespace

std::vector<Shape> read_shapes(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Shape> shapes;
  for (const fs::path& file : files) read_file(file, shapes);
  return shapes;
}

sim::LitmusRecord explore(const fs::path& ladder, const fs::path& file,
                          const std::vector<std::string>& options) {
  std::string output;
  std::vector<std::string> command = {ladder.string(), "litmus", file.string(), "--json", "-"};
  command.insert(command.end(), options.begin(), options.end());
  ladder::cli::run_process({command, {{"LADDER_ROOT", LADDER_SOURCE_DIR}}},
                           [&](std::string_view line) { output.append(line).push_back('\n'); });
  const nlohmann::json json = nlohmann::json::parse(output, nullptr, false);
  if (!json.is_object()) throw std::runtime_error(file.string() + " left no record:\n" + output);
  return json.get<sim::LitmusRecord>();
}

sim::LitmusRecord explore(const fs::path& ladder, const fs::path& folder, const Shape& shape) {
  std::vector<std::string> options;
  if (!shape.architecture.empty()) options.push_back("-arch=sm_" + shape.architecture);
  options.insert(options.end(), {"--", shape.name});
  return explore(ladder, folder / shape.file, options);
}

Found states(const Shape& shape, const sim::LitmusRecord& record) {
  Found found;
  for (const sim::LitmusOutcome& outcome : record.outcomes) {
    State state;
    for (const std::string& location : shape.locations) {
      const auto at = std::find(record.locations.begin(), record.locations.end(), location);
      state +=
          (state.empty() ? "" : " ") +
          (at == record.locations.end() ? "0" : outcome.values[std::size_t(at - record.locations.begin())]);
    }
    if (outcome.allowed)
      found.allowed.insert(state);
    else
      found.forbidden[state].insert(outcome.broken.begin(), outcome.broken.end());
  }
  for (const State& state : found.allowed) found.forbidden.erase(state);
  return found;
}

Recording read_recording(const fs::path& folder) {
  std::ifstream stream(folder / "recorded.json");
  const nlohmann::json json = nlohmann::json::parse(stream);
  Recording recording;
  recording.date = json.at("date").get<std::string>();
  recording.gpu = json.at("gpu").get<std::string>();
  for (const auto& [name, shape] : json.at("shapes").items()) {
    auto& states = recording.states_[name];
    for (const auto& state : shape.at("states")) {
      Recording::Values values;
      for (const char* word : {"x", "y", "z"}) values[word] = std::to_string(state.at(word).get<int>());
      for (std::size_t i = 0; i < state.at("r").size(); ++i)
        values["r[" + std::to_string(i) + "]"] = std::to_string(state.at("r")[i].get<int>());
      states.emplace_back(std::move(values), state.at("count").get<std::uint64_t>());
    }
  }
  return recording;
}

std::map<State, std::uint64_t> Recording::counts(const Shape& shape) const {
  std::map<State, std::uint64_t> found;
  const auto states = states_.find(shape.name);
  if (states == states_.end()) return found;
  for (const auto& [values, count] : states->second) {
    State state;
    for (const std::string& location : shape.locations)
      state += (state.empty() ? "" : " ") + values.at(location);
    found[state] += count;
  }
  return found;
}

}  // namespace litmus_corpus
