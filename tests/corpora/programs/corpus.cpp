#include "tests/corpora/programs/corpus.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "grader/platform/process/run_process.h"
#include "simulator/report/json.h"

namespace corpus {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What follows @p label, where the line begins with it.
bool after(const std::string& line, const std::string& label, std::string& rest) {
  if (line.rfind(label, 0) != 0) return false;
  rest = line.substr(label.size());
  rest.erase(0, rest.find_first_not_of(' '));
  return true;
}

void read_file(const fs::path& folder, const fs::path& file, std::vector<Program>& programs) {
  const std::string name = fs::relative(file, folder).generic_string();
  const bool defective = name.rfind("defective/", 0) == 0;
  std::ifstream stream(file);
  Program next;
  std::string architecture;
  bool named = false;  // the marks of a case may stand before or behind its CASE line
  const auto finish = [&] {
    if (!named) return;
    if (defective && (next.kinds.empty() || next.lines.empty() || next.wrong.empty()))
      throw std::runtime_error(name + ": " + next.name + " lacks its kind, its line or its sentence");
    programs.push_back(next);
    next = {};
    named = false;
  };
  int number = 0;
  for (std::string line, rest; std::getline(stream, line);) {
    ++number;
    if (number == 1) after(line, "// arch:", architecture);
    if (after(line, "// expect:", rest)) {
      finish();
      const std::vector<std::string> words = split(rest, ' ');
      next.kinds = split(words.at(0), '|');
      if (words.size() > 1) next.spaces = split(words[1], '|');
    } else if (after(line, "// wrong:", rest)) {
      next.wrong = rest;
    } else if (after(line, "CASE(", rest)) {
      if (named) finish();
      next.file = name;
      next.architecture = architecture;
      next.name = rest.substr(0, rest.find(')'));
      named = true;
    }
    if (line.find("// <- ") != std::string::npos) next.lines.push_back(number);
  }
  finish();
}

}  // namespace

std::vector<Program> read_programs(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* part : {"defective", "correct"})
    for (const auto& entry : fs::directory_iterator(folder / part)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Program> programs;
  for (const fs::path& file : files) read_file(folder, file, programs);
  return programs;
}

Run run(const fs::path& ladder, const fs::path& folder, const Program& program) {
  const fs::path report =
      fs::temp_directory_path() / ("corpus-" + std::to_string(::getpid()) + "-" + program.name + ".json");
  Run run;
  std::vector<std::string> command = {ladder.string(), "sim", (folder / program.file).string(), "--json",
                                      report.string()};
  if (!program.architecture.empty()) command.push_back("-arch=sm_" + program.architecture);
  command.insert(command.end(), {"--", program.name});
  const auto status = ladder::cli::run_process(
      {command,
       // Far more than these programs need, and little enough that endless ones end soon.
       {{"LADDER_SIM_INSTRUCTION_LIMIT", "3000000"}, {"LADDER_ROOT", LADDER_SOURCE_DIR}}},
      [&](std::string_view line) { run.output.append(line).push_back('\n'); });
  run.exit_code = status.signal != 0 ? 128 + status.signal : status.code;
  std::ifstream stream(report);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  fs::remove(report);
  if (!json.is_object()) throw std::runtime_error(program.name + " left no report:\n" + run.output);
  run.findings = json.at("findings").get<std::vector<sim::Finding>>();
  run.json = json.dump();
  return run;
}

Judgement judge(const Program& program, const Run& run) {
  Judgement judgement;
  for (const sim::Finding& finding : run.findings) {
    // A leak is only a note: at the program's end the system takes the memory back.
    if (finding.severity != sim::Severity::error &&
        !(finding.kind == sim::FindingKind::leak && program.defective()))
      continue;
    const bool kind = has(program.kinds, to_string(finding.kind)) &&
                      (program.spaces.empty() || has(program.spaces, to_string(finding.space)));
    const bool line =
        fs::path(finding.file).filename() == fs::path(program.file).filename() &&
        std::find(program.lines.begin(), program.lines.end(), finding.line) != program.lines.end();
    judgement.kind = judgement.kind || kind;
    judgement.line = judgement.line || (kind && line);
    if (!kind || !line) judgement.accusations.push_back(brief(finding));
  }
  // A correct program says itself whether its results are right.
  if (!program.defective() && run.exit_code != 0 && judgement.accusations.empty())
    judgement.accusations.push_back("exit status " + std::to_string(run.exit_code) + ": " + run.output);
  return judgement;
}

std::string brief(const sim::Finding& finding) {
  std::string text =
      to_string(finding.kind) +
      (finding.space == sim::MemorySpace::none ? "" : std::string(" ") + to_string(finding.space)) + " " +
      fs::path(finding.file).filename().string() + ":" + std::to_string(finding.line);
  if (finding.other) text += " (other " + std::to_string(finding.other->line) + ")";
  return text;
}

}  // namespace corpus
