#include "grader/sim/litmus.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

constexpr const char* kHelp = "./ladder litmus --help shows how to use it.";

/// The value of an option that is ours, cut out of the words together with it; empty where it is not there.
std::string take(std::vector<std::string>& words, const std::string& option, bool number) {
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto at = std::find_if(words.begin(), end, [&](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
  if (at == end) return {};
  const bool joined = *at != option;
  if (!joined && at + 1 == end) throw Failure(ExitCode::usage, option + " needs a value", kHelp);
  std::string value = joined ? at->substr(option.size() + 1) : *(at + 1);
  words.erase(at, at + (joined ? 1 : 2));
  const bool digits = !value.empty() && std::all_of(value.begin(), value.end(),
                                                    [](unsigned char c) { return std::isdigit(c) != 0; });
  if (number && (!digits || value.size() > 9))
    throw Failure(ExitCode::usage, option + " needs a number, not \"" + value + "\"", kHelp);
  return value;
}

}  // namespace

LitmusRequest read_litmus_request(std::vector<std::string> words) {
  LitmusRequest request;
  request.kernel = take(words, "--kernel", false);
  request.turns = take(words, "--turns", true);
  request.candidates = take(words, "--candidates", true);
  try {
    request.program = read_sim_request(words);
  } catch (const Failure& failure) {
    throw Failure(failure.code(), failure.what(), kHelp);
  }
  request.program.findings = false;
  return request;
}

std::vector<std::pair<std::string, std::string>> litmus_settings(const LitmusRequest& request,
                                                                 const std::filesystem::path& record) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"LADDER_SIM_LITMUS", record.string()}, {"LADDER_SIM_THREADS", "1"}, {"LADDER_SIM_CHECK_PTX", ""}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.emplace_back(name, value);
  };
  add("LADDER_SIM_LITMUS_KERNEL", request.kernel);
  add("LADDER_SIM_LITMUS_TURNS", request.turns);
  add("LADDER_SIM_LITMUS_CANDIDATES", request.candidates);
  return all;
}

std::optional<sim::LitmusRecord> read_litmus_record(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json.get<sim::LitmusRecord>();
}

std::string litmus_json(const sim::LitmusRecord& record) {
  return nlohmann::json(record).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool any_failure(const sim::LitmusRecord& record) {
  return std::any_of(record.outcomes.begin(), record.outcomes.end(), [](const sim::LitmusOutcome& outcome) {
    return outcome.allowed && outcome.verdict == sim::LitmusVerdict::fails;
  });
}

}  // namespace ladder::cli
