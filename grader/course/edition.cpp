#include "grader/course/edition.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/platform/failure.h"
#include "grader/platform/json_file.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// The words of a line without the signs that make it a comment: //, #, --, <!-- … -->, /* … */.
std::string_view bare_words(std::string_view line) {
  constexpr std::string_view kSigns = " \t\r\n/#*-<!>";
  const std::size_t from = line.find_first_not_of(kSigns);
  if (from == std::string_view::npos) return {};
  return line.substr(from, line.find_last_not_of(kSigns) + 1 - from);
}

bool is_only_comment(std::string_view line) {
  const std::size_t from = line.find_first_not_of(" \t");
  if (from == std::string_view::npos) return false;
  for (const std::string_view sign : {"//", "#", "/*", "<!--"})
    if (line.substr(from).starts_with(sign)) return true;
  return false;
}

}  // namespace

std::optional<Edition> edition_of(const fs::path& root) {
  const fs::path file = root / kEditionFile;
  const nlohmann::json record = load_json(file);
  if (record.is_null()) return std::nullopt;
  Edition edition;
  try {
    record.at("edition").get_to(edition.name);
    record.at("commit").get_to(edition.commit);
    record.at("files").get_to(edition.files);
  } catch (const nlohmann::json::exception&) {
    throw Failure(
        ExitCode::environment,
        file.string() + " is not what ladder dev edition writes: its end is missing, or somebody edited it",
        "Take the file anew from the edition that you were given.");
  }
  return edition;
}

std::string edition_json(const Edition& edition) {
  return nlohmann::json({{"schema", kSchema},
                         {"edition", edition.name},
                         {"commit", edition.commit},
                         {"files", edition.files}})
             .dump(1) +
         "\n";
}

bool has_solutions(const Project& project) {
  std::error_code ignored;
  return fs::is_directory(project.solutions(), ignored);
}

void expect_solutions(const Project& project) {
  if (has_solutions(project)) return;
  if (edition_of(project.root))
    throw Failure(
        ExitCode::usage, "this edition of the course has no solutions",
        "It is the one for students: ./ladder hint helps, and whoever handed it out has the finished rungs.");
  throw Failure(ExitCode::environment, "the course's solutions are not here: there is no folder solutions",
                "`git checkout -- solutions` brings it back.");
}

Skeleton without_hidden(std::string_view text) {
  Skeleton rest;
  int open_line = 0, number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const std::string_view words = bare_words(line);
    const bool begins = words == "BEGIN HIDDEN", ends = words == "END HIDDEN";
    if ((begins || ends) && !is_only_comment(line)) {
      rest.problems.push_back({number, "the marker is no comment"});
    } else if (begins) {
      if (open_line != 0)
        rest.problems.push_back(
            {number, fmt::format("BEGIN HIDDEN inside the region begun at line {}", open_line)});
      open_line = number;
      ++rest.regions;
    } else if (ends) {
      if (open_line == 0) rest.problems.push_back({number, "END HIDDEN without a BEGIN HIDDEN above it"});
      open_line = 0;
    } else if (line.find("BEGIN HIDDEN") != line.npos || line.find("END HIDDEN") != line.npos) {
      // A near miss would hand out what was to be kept.
      rest.problems.push_back(
          {number, "a marker must stand alone on its line: `// BEGIN HIDDEN`, `# END HIDDEN`"});
    } else if (open_line == 0) {
      rest.text += line;
    }
    text.remove_prefix(line.size());
  }
  if (open_line != 0) rest.problems.push_back({open_line, "BEGIN HIDDEN without an END HIDDEN below it"});
  return rest;
}

bool is_rung_file(const fs::path& relative) {
  const fs::path folder = relative.parent_path();
  return relative.extension() == ".cu" && folder.parent_path() == "lessons" &&
         split_numbered(folder.filename().string()).number >= 0 &&
         split_numbered(relative.stem().string()).number >= 0;
}

}  // namespace ladder::cli
