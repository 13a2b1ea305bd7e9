// The course as data: lessons found by listing lessons/NN_*, each described by its lesson.toml.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/project.h"
#include "grader/idea/condition.h"

namespace ladder::cli {

/// One stage of help.
struct Hint {
  int todo = 0;      ///< n of the TODO(n) that it helps with; 0 where it is about the whole rung
  std::string text;  ///< Markdown
};

/// A number that a lesson asks to be predicted.
struct Question {
  std::string ask;                         ///< "sectors of a request to store"
  std::string original;                    ///< the same in lesson.toml's own language
  std::string unit;                        ///< "ms"; empty where the question says it
  std::optional<idea::Condition> counted;  ///< what the simulator counts: a metric without bounds
  double answer = 0;                       ///< where nothing counts it: as the lesson works it out
  /// What it is kept under: the metric's name and what of, or the question.
  std::string key() const;
};

/// One step of a lesson: one .cu file.
struct RungInfo {
  std::string name;                   ///< the file's stem: "3_interleaved"
  int number = 0;                     ///< 3
  std::string idea;                   ///< "interleaved"
  std::string summary;                ///< one line
  double points = 1;                  ///< weight in a grade
  std::string compute_capability;     ///< needed at least, "9.0"; empty where any will do
  std::vector<Hint> hints;            ///< vague first
  std::string detour;                 ///< why to do a rung that is slower than the one below; empty elsewhere
  std::string few_lines;              ///< why a student writes fewer than three lines of it; empty elsewhere
  std::vector<Question> questions;    ///< to be answered before it is run
  idea::Idea how;                     ///< its idea shows; nothing where it does in the answer itself
  std::vector<std::string> formerly;  ///< names it had in older versions of the course
  int toml_line = 0;                  ///< where lesson.toml describes it
  /// Whether it is the lesson's blank page: another problem, with a contract in blank_page.h.
  bool is_blank_page() const { return idea == "blank_page"; }
};

struct LessonInfo {
  std::string name;        ///< the folder: "09_reduction"
  int number = 0;          ///< 9
  std::string short_name;  ///< "reduction", the prefix of its CMake targets
  std::string title;
  std::string summary;
  std::string part;        ///< "II Patterns"
  std::string difficulty;  ///< "easy", "medium" or "hard"; empty where lesson.toml does not say
  int minutes = 0;  ///< what a student needs, by the author's estimate; 0 where lesson.toml does not say
  std::vector<std::string> prerequisites;
  std::vector<std::string> formerly;  ///< names it had before, without numbers: what was done then counts
  std::vector<RungInfo> rungs;        ///< in the order of lesson.toml
  std::string language;               ///< that the texts have been translated to, "zh_CN"; empty: as written
  std::filesystem::path folder;
  std::filesystem::path readme;  ///< its text, in that language where there is one
  std::filesystem::path solutions_folder;
  std::filesystem::path skeletons_folder;  ///< what rungs began as, in an edition without solutions

  std::filesystem::path student_file(const RungInfo& rung) const { return folder / (rung.name + ".cu"); }
  std::filesystem::path solution_file(const RungInfo& rung) const {
    return solutions_folder / (rung.name + ".cu");
  }
  std::filesystem::path skeleton_file(const RungInfo& rung) const {
    return skeletons_folder / (rung.name + ".cu");
  }
  std::string id() const;                      ///< "09": short to type
  std::string id(const RungInfo& rung) const;  ///< "09.3"
};

/// Something wrong in a lesson's description, at a line of a file.
struct CourseProblem {
  std::filesystem::path file;
  int line = 0;  ///< 0 where no line is to blame
  std::string message;
  std::string text() const;  ///< "lessons/09_reduction/lesson.toml:12: ..."
};

/// Thrown by parse_lesson().
class CourseError : public std::runtime_error {
 public:
  explicit CourseError(CourseProblem problem)
      : std::runtime_error(problem.text()), problem_(std::move(problem)) {}
  const CourseProblem& problem() const { return problem_; }

 private:
  CourseProblem problem_;
};

struct Course {
  std::vector<LessonInfo> lessons;  ///< by number
  /// Lessons that could not be read, which are not in the list above, and translations, whose lessons are.
  std::vector<CourseProblem> problems;
};

/// A lesson's folder name taken apart; number is -1 where the name is not NN_name.
struct NumberedName {
  int number = -1;
  std::string rest;
};
NumberedName split_numbered(std::string_view name);

/// Reads one lesson.toml.
/// @param text    its contents
/// @param file    its name, for messages; its parent folder names the lesson
/// @param remarks receives what is doubtful but readable, such as unknown keys
/// @throws CourseError at the line that is to blame
LessonInfo parse_lesson(std::string_view text, const std::filesystem::path& file,
                        std::vector<CourseProblem>* remarks = nullptr);

/// Lists lessons/NN_* and reads each; one that cannot be read becomes a problem and hides nothing else.
/// @param languages  that the texts are wanted in, the best first; see wanted_languages()
Course load_course(const Project& project, const std::vector<std::string>& languages = {});

}  // namespace ladder::cli
