// Prints, as Markdown, what our findings and compute-sanitizer's four tools say of every program of the
// corpus. corpus_table [all|summary]
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/corpora/programs/corpus.h"

namespace {

/// Rows of sanitizer.csv: round, file, program, tool, exit status, errors, first message, first line of ours.
struct Recorded {
  std::string round, tool, exit, errors, message, line;
};
using Records = std::multimap<std::string, Recorded>;  ///< by "file program"

Records read_records(const std::string& path) {
  Records records;
  std::ifstream stream(path);
  std::string row;
  std::getline(stream, row);  // the columns' names
  while (std::getline(stream, row)) {
    std::vector<std::string> cells;
    std::istringstream cell_stream(row);
    for (std::string cell; std::getline(cell_stream, cell, ';');) cells.push_back(cell);
    cells.resize(8);
    records.emplace(cells[1] + " " + cells[2],
                    Recorded{cells[0], cells[3], cells[4], cells[5], cells[6], cells[7]});
  }
  return records;
}

bool reported(const Recorded& r) { return r.tool != "plain" && r.exit == "99"; }

/// Whether a tool found something in one of the rounds up to @p round.
bool tools_found(const Records& records, const std::string& key, const std::string& round) {
  for (auto [i, end] = records.equal_range(key); i != end; ++i)
    if (reported(i->second) && i->second.round <= round) return true;
  return false;
}

std::string tools_cell(const Records& records, const std::string& key) {
  std::string cell;
  for (auto [i, end] = records.equal_range(key); i != end; ++i) {
    const Recorded& r = i->second;
    if (!reported(r)) continue;
    if (!cell.empty()) cell += "; ";
    cell += r.tool + (r.round == "2" ? " (second round)" : "") + ": " + r.message +
            (r.line.empty() ? "" : ", line " + r.line);
  }
  return cell.empty() ? "–" : cell;
}

struct Totals {
  int programs = 0, kind = 0, line = 0, right = 0, accused = 0, tools = 0, tools_second = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const bool all = argc < 2 || std::string(argv[1]) != "summary";
  const Records records = read_records(LADDER_CORPUS "/sanitizer.csv");
  std::map<std::string, Totals> totals;
  if (all) std::puts("| program | expected | lines | ours | compute-sanitizer |\n|---|---|---|---|---|");
  for (const corpus::Program& program : corpus::read_programs(LADDER_CORPUS)) {
    const corpus::Run run = corpus::run(LADDER_BINARY, LADDER_CORPUS, program);
    const corpus::Judgement judgement = corpus::judge(program, run);
    const std::string key = program.file + " " + program.name;
    for (Totals* t :
         {&totals[program.file], &totals[program.defective() ? "all defective" : "all correct"]}) {
      ++t->programs;
      t->kind += judgement.kind;
      t->line += judgement.line;
      t->right += judgement.right(program);
      t->accused += !judgement.accusations.empty();
      t->tools += tools_found(records, key, "1");
      t->tools_second += tools_found(records, key, "2");
    }
    if (!all) continue;
    std::string expected = "nothing", lines, ours;
    if (program.defective()) {
      expected.clear();
      for (const std::string& kind : program.kinds) expected += (expected.empty() ? "" : " or ") + kind;
      for (const std::string& space : program.spaces) expected += " " + space;
    }
    for (int line : program.lines) lines += (lines.empty() ? "" : ", ") + std::to_string(line);
    if (judgement.right(program))
      ours = program.defective() ? "found" : "silent";
    else if (judgement.line)
      ours = "found, and more";
    else
      ours = judgement.kind ? "**another line**" : program.defective() ? "**missed**" : "**accused**";
    for (const std::string& accusation : judgement.accusations)
      ours += "; " + accusation.substr(0, accusation.find('\n'));
    std::printf("| %s: %s | %s | %s | %s | %s |\n", program.file.c_str(), program.name.c_str(),
                expected.c_str(), lines.c_str(), ours.c_str(), tools_cell(records, key).c_str());
  }
  std::puts(
      "\n| file | programs | kind found | line found | wholly right | other accusations | compute-sanitizer "
      "| with -G "
      "and padding |\n|---|---|---|---|---|---|---|---|");
  for (const auto& [file, t] : totals)
    std::printf("| %s | %d | %d | %d | %d | %d | %d | %d |\n", file.c_str(), t.programs, t.kind, t.line,
                t.right, t.accused, t.tools, t.tools_second);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
