#include "grader/grade/publish/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "grader/course/rung_files.h"
#include "grader/grade/publish/outputs.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr int kNotFound = 127;  // the shell's word on a program

/// One "12.cu consists for 95 % of 7.cu material"; false where the line says something else.
struct Alike {
  int file = 0, percent = 0, other = 0;
  bool read(const std::string& line) {
    return std::sscanf(line.c_str(), "%d.cu consists for %d %% of %d.cu", &file, &percent, &other) == 3;
  }
};

/// Files of one rung by number, each with each and both ways; the skeleton is number 0.
/// @return nothing where one of the files is too much for sim_c++
std::optional<std::vector<Alike>> compare(const Grading& grading, const fs::path& folder, std::size_t files) {
  Cell cell;
  cell.cpu_seconds = 300;
  const fs::path inside = grading.sandboxed ? "/files" : folder;
  cell.read_only = {{folder, inside}};
  std::vector<std::string> words = {"timeout", "600"};
  for (const std::string& word : enter(grading, cell)) words.push_back(word);
  words.insert(words.end(),
               {"sh", "-c", "cd \"$0\" && exec sim_c++ -a -p -e -s -T -t 1 \"$@\"", inside.string()});
  for (std::size_t i = 0; i <= files; ++i) words.push_back(std::to_string(i) + ".cu");
  std::vector<Alike> pairs;
  std::string last;
  const ExitStatus status = run_process({words, {}}, [&](std::string_view line) {
    Alike pair;
    last = line;
    if (pair.read(last)) pairs.push_back(pair);
  });
  if (status.code == kNotFound)
    throw Failure(ExitCode::environment, "sim_c++ could not compare the submissions: " + last,
                  "It is in the package similarity-tester (apt install similarity-tester).");
  if (!status.ok()) return std::nullopt;
  return pairs;
}

}  // namespace

std::string similarity_csv(const Grading& grading, const GradingPlan& plan,
                           const std::vector<Submission>& submissions, int least,
                           std::vector<std::string>& notes) {
  std::string csv = "lesson,rung,student,other,percent,percent in the skeleton\n";
  const fs::path folder = grading.work / "similarity";
  for (const LessonInfo* lesson : plan.lessons)
    for (const RungInfo& rung : lesson->rungs) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
      std::vector<std::string> students;
      for (const Submission& submission : submissions)
        for (const RungFile& file : submission.files) {
          if (file.rung != &rung || is_untouched(*lesson, rung, file.contents)) continue;
          students.push_back(submission.student);
          write_file(folder / (std::to_string(students.size()) + ".cu"), file.contents);
        }
      if (students.size() < 2) continue;
      write_file(folder / "0.cu", skeleton_of(*lesson, rung));
      const std::optional<std::vector<Alike>> pairs = compare(grading, folder, students.size());
      if (!pairs) {
        notes.push_back(fmt::format("the files for {} {} could not be compared", lesson->name, rung.name));
        continue;
      }
      std::map<int, int> in_skeleton;
      for (const Alike& pair : *pairs)
        if (pair.other == 0) in_skeleton[pair.file] = pair.percent;
      // Of the two directions of a pair the one that says more: the shorter file lies in the longer. A file
      // that is no more like another's than like the skeleton has copied nothing.
      std::map<std::pair<int, int>, Alike> most;
      for (const Alike& pair : *pairs) {
        if (pair.file == 0 || pair.other == 0 || pair.percent < least ||
            pair.percent <= in_skeleton[pair.file])
          continue;
        Alike& kept = most[std::minmax(pair.file, pair.other)];
        if (pair.percent > kept.percent || (pair.percent == kept.percent && pair.file < kept.file))
          kept = pair;
      }
      for (const auto& [files, pair] : most) {
        csv += fmt::format("{},{},{},{},{},{}\n", lesson->name, rung.name,
                           csv_field(students.at(static_cast<std::size_t>(pair.file) - 1)),
                           csv_field(students.at(static_cast<std::size_t>(pair.other) - 1)), pair.percent,
                           in_skeleton[pair.file]);
      }
    }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return csv;
}

}  // namespace ladder::cli::grade
