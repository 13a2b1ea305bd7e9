#include "grader/hunt/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"

namespace ladder::hunt {
namespace fs = std::filesystem;
namespace {

// What an edit put in lies between these two, which no source has.
constexpr char kFrom = '\x01', kTo = '\x02';

bool is_mark(char c) { return c == kFrom || c == kTo; }

/// Takes comments out of a source, one line after the other.
class CommentRemover {
 public:
  explicit CommentRemover(std::string_view source) : source_(source) {}

  std::string run() {
    while (at_ < source_.size()) step();
    end_line();
    return std::move(out_);
  }

 private:
  bool next_is(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void step() {
    const char c = source_[at_];
    if (c == '\n') return ++at_, end_line();
    if (next_is("//")) return skip_until("\n", false);
    if (next_is("/*")) return skip_until("*/", true);
    const bool separator = c == '\'' && at_ > 0 && std::isalnum(static_cast<unsigned char>(source_[at_ - 1]));
    if (c == '"' || (c == '\'' && !separator)) return copy_literal(c);
    line_ += c;
    ++at_;
  }

  /// Leaves a comment out, but for the marks in it.
  void skip_until(std::string_view end, bool with_end) {
    commented_ = true;
    while (at_ < source_.size() && !next_is(end)) {
      if (is_mark(source_[at_])) line_ += source_[at_];
      ++at_;
    }
    if (with_end) at_ = std::min(at_ + end.size(), source_.size());
  }

  void copy_literal(char quote) {
    do {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) line_ += source_[at_++];
      line_ += source_[at_++];
    } while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n');
    if (at_ < source_.size() && source_[at_] == quote) line_ += source_[at_++];
  }

  /// A line of which nothing is left goes, and of several empty ones all but one; marks wait for the next
  /// line.
  void end_line() {
    std::string marks;
    std::copy_if(line_.begin(), line_.end(), std::back_inserter(marks), is_mark);
    while (!line_.empty() && (line_.back() == ' ' || line_.back() == '\t')) line_.pop_back();
    const bool blank = line_.find_first_not_of(" \t\x01\x02") == line_.npos;
    if (blank && (commented_ || out_.empty() || out_.ends_with("\n\n")) && at_ < source_.size()) {
      line_ = marks;
    } else {
      out_ += (blank ? marks : line_) + (at_ < source_.size() || !line_.empty() ? "\n" : "");
      line_.clear();
    }
    commented_ = false;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string out_, line_;
  bool commented_ = false;
};

/// Takes the marks out of a text, and notes the lines between them.
Handout without_marks(const std::string& text) {
  Handout handout;
  int line = 1, from = 0;
  bool empty = true;  // whether anything stands between the marks
  for (const char c : text) {
    if (c == kFrom) {
      from = line, empty = true;
    } else if (c == kTo) {
      // Of something that is missing, neither the line before nor the one behind it is more to blame.
      for (int i = empty ? std::max(1, from - 1) : from; i <= (empty ? line + 1 : line); ++i)
        handout.lines.push_back(i);
    } else {
      if (c == '\n') ++line;
      if (c != ' ' && c != '\n') empty = false;
      handout.text += c;
    }
  }
  return handout;
}

/// The lines of what the grader names are right as well: there the mistake shows.
void add_named_line(Handout& handout, const std::string& named) {
  if (named.empty()) return;
  int number = 0;
  for (const std::string& line : cli::split_lines(handout.text)) {
    ++number;
    if (line.find(named) != std::string::npos) handout.lines.push_back(number);
  }
}

}  // namespace

std::string without_comments(std::string_view source) { return CommentRemover(source).run(); }

std::vector<Exercise> load_exercises(const cli::Project& project, const cli::Course& course) {
  std::vector<Exercise> exercises;
  for (const cli::LessonInfo& lesson : course.lessons) {
    const fs::path folder = project.root / "tests" / "corpora" / "mutants" / "lessons" / lesson.name;
    std::error_code none;
    const std::size_t before = exercises.size();
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() != ".toml") continue;
      try {
        Mutant mutant = read_mutant(entry.path());
        const auto rung = std::find_if(lesson.rungs.begin(), lesson.rungs.end(),
                                       [&](const cli::RungInfo& r) { return r.name == mutant.rung; });
        if (!mutant.hunt || rung == lesson.rungs.end()) continue;
        std::string number = "h" + cli::sha256(mutant.name).substr(0, 4);
        exercises.push_back({&lesson, &*rung, std::move(mutant), std::move(number)});
      } catch (const std::runtime_error& error) {
        throw cli::Failure(cli::ExitCode::environment, error.what());
      }
    }
    std::sort(exercises.begin() + static_cast<std::ptrdiff_t>(before), exercises.end(),
              [](const Exercise& a, const Exercise& b) { return a.number < b.number; });
  }
  return exercises;
}

Handout hand_out(const Exercise& exercise) {
  try {
    const std::string solution = cli::read_file(exercise.lesson->solution_file(*exercise.rung));
    Handout handout = without_marks(without_comments(
        spoilt(exercise.mutant, solution, std::string_view(&kFrom, 1), std::string_view(&kTo, 1))));
    add_named_line(handout, exercise.mutant.line);
    std::sort(handout.lines.begin(), handout.lines.end());
    handout.lines.erase(std::unique(handout.lines.begin(), handout.lines.end()), handout.lines.end());
    return handout;
  } catch (const std::runtime_error& error) {
    throw cli::Failure(cli::ExitCode::environment, error.what());
  }
}

fs::path file_of(const cli::Project& project, const Exercise& exercise) {
  return project.root / "hunts" / exercise.lesson->name /
         fmt::format("{}.{}.cu", exercise.rung->name, exercise.number);
}

const Exercise& find_exercise(const std::vector<Exercise>& exercises, std::string_view id) {
  for (const Exercise& exercise : exercises)
    if (exercise.id() == id) return exercise;
  throw cli::Failure(cli::ExitCode::usage, fmt::format("no exercise is called {}", id),
                     "./ladder hunt --list shows them all.");
}

}  // namespace ladder::hunt
