#include "grader/course/course.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "grader/course/lesson_reader.h"
#include "grader/course/names.h"
#include "grader/course/translation.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

bool is_capability(std::string_view text) {
  if (text.ends_with('a')) text.remove_suffix(1);  // "9.0a": what no other GPU has
  const std::size_t dot = text.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 2 == text.size() &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '.' || std::isdigit(static_cast<unsigned char>(c)); });
}

/// The names that `of` may have, where they are a closed list.
void check_classes(const std::vector<std::string>& of, const toml::node& node, const LessonReader& reader) {
  const std::vector<std::string> known = idea::instruction_classes();
  for (const std::string& name : of)
    if (std::find(known.begin(), known.end(), name) == known.end())
      reader.fail(line_of(node), fmt::format("no class of instructions is called `{}`: there are {}", name,
                                             fmt::join(known, ", ")));
}

/// `metric`, and `of` where it wants that.
idea::Condition parse_metric(const toml::table& table, const LessonReader& reader) {
  idea::Condition condition;
  const std::string metric = reader.text("metric", true);
  const auto known = idea::metric_from(metric);
  if (!known) {
    std::vector<std::string> names;
    for (const idea::MetricInfo& info : idea::metrics()) names.emplace_back(info.name);
    const std::vector<std::string> near = nearest(metric, names);
    reader.fail(line_of(*table.get("metric")),
                fmt::format("no metric is called `{}`{}; docs/ideas.md has them all", metric,
                            near.empty() ? "" : fmt::format(": did you mean `{}`?", near.front())));
  }
  condition.metric = *known;
  condition.of = reader.texts("of");
  if (idea::wants_of(*known) == condition.of.empty())
    reader.fail(line_of(table), fmt::format("`{}` {}", metric,
                                            condition.of.empty() ? "wants a list `of` names to count"
                                                                 : "is of nothing: leave `of` out"));
  if (*known == idea::Metric::instructions || *known == idea::Metric::places)
    check_classes(condition.of, *table.get("of"), reader);
  return condition;
}

idea::Condition parse_condition(const toml::table& table, const fs::path& file,
                                std::vector<CourseProblem>* remarks) {
  static constexpr std::array<std::string_view, 6> kKeys = {"metric",  "of",   "at_least",
                                                            "at_most", "says", "close"};
  const LessonReader reader(table, file);
  idea::Condition condition = parse_metric(table, reader);
  if (table.contains("at_least")) condition.at_least = reader.number("at_least", 0);
  if (table.contains("at_most")) condition.at_most = reader.number("at_most", 0);
  if (!condition.at_least && !condition.at_most)
    reader.fail(line_of(table), "a condition needs `at_least` or `at_most`");
  condition.says = reader.text("says", true);
  condition.close = reader.text("close", false);
  reader.note_unknown(kKeys, remarks);
  return condition;
}

idea::Idea parse_idea(const toml::table& rung, const fs::path& file, std::vector<CourseProblem>* remarks) {
  const LessonReader reader(rung, file);
  idea::Idea idea;
  idea.unobserved = reader.text("idea_unobserved", false);
  const toml::node* node = rung.get("idea");
  if (node == nullptr) return idea;
  const toml::array* conditions = node->as_array();
  if (conditions == nullptr)
    reader.fail(line_of(*node), "`idea` must be a list of tables: write [[rung.idea]]");
  for (const toml::node& element : *conditions) {
    if (!element.is_table())
      reader.fail(line_of(element), "`idea` must be a list of tables: write [[rung.idea]]");
    idea.conditions.push_back(parse_condition(*element.as_table(), file, remarks));
  }
  return idea;
}

/// What [[rung.predict]] asks: a metric, or a number that the lesson works out.
std::vector<Question> parse_questions(const toml::table& rung, const fs::path& file,
                                      std::vector<CourseProblem>* remarks) {
  static constexpr std::array<std::string_view, 5> kKeys = {"ask", "unit", "metric", "of", "answer"};
  static constexpr std::string_view kForm = "`predict` must be a list of tables: write [[rung.predict]]";
  const LessonReader reader(rung, file);
  std::vector<Question> questions;
  const toml::node* node = rung.get("predict");
  if (node == nullptr) return questions;
  if (!node->is_array()) reader.fail(line_of(*node), std::string(kForm));
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_table()) reader.fail(line_of(element), std::string(kForm));
    const toml::table& table = *element.as_table();
    const LessonReader of(table, file);
    Question question;
    question.ask = question.original = of.text("ask", true);
    question.unit = of.text("unit", false);
    if (table.contains("metric") == table.contains("answer"))
      of.fail(line_of(table), "a question has either a `metric` that is counted or an `answer`");
    if (table.contains("metric")) question.counted = parse_metric(table, of);
    question.answer = of.number("answer", 0);
    of.note_unknown(kKeys, remarks);
    questions.push_back(std::move(question));
  }
  return questions;
}

/// A string is about the rung, a table `{ todo = 2, text = "..." }` about one of its TODOs.
std::vector<Hint> parse_hints(const toml::table& rung, const fs::path& file,
                              std::vector<CourseProblem>* remarks) {
  static constexpr std::array<std::string_view, 2> kKeys = {"todo", "text"};
  static constexpr std::string_view kForm =
      "`hints` must be a list of strings, or of tables { todo = 2, text = \"...\" }";
  const LessonReader reader(rung, file);
  std::vector<Hint> hints;
  const toml::node* node = rung.get("hints");
  if (node == nullptr) return hints;
  const toml::array* array = node->as_array();
  if (array == nullptr) reader.fail(line_of(*node), std::string(kForm));
  for (const toml::node& element : *array) {
    if (const toml::table* table = element.as_table()) {
      const LessonReader hint(*table, file);
      hints.push_back({hint.count("todo"), hint.text("text", true)});
      if (hints.back().todo == 0)
        hint.fail(line_of(*table), "`todo` is missing: a hint of the rung is a string");
      hint.note_unknown(kKeys, remarks);
    } else if (const auto text = element.value_exact<std::string>()) {
      hints.push_back({0, *text});
    } else {
      reader.fail(line_of(element), std::string(kForm));
    }
  }
  return hints;
}

/// What the map says about a lesson's size: an estimate by its author.
void read_effort(const toml::table& table, const LessonReader& reader, LessonInfo& lesson) {
  static constexpr std::array<std::string_view, 3> kDifficulties = {"easy", "medium", "hard"};
  lesson.difficulty = reader.text("difficulty", false);
  if (table.contains("difficulty") &&
      std::find(kDifficulties.begin(), kDifficulties.end(), lesson.difficulty) == kDifficulties.end())
    reader.fail(line_of(*table.get("difficulty")), "`difficulty` must be \"easy\", \"medium\" or \"hard\"");
  lesson.minutes = reader.count("minutes");
}

RungInfo parse_rung(const toml::table& table, const fs::path& file, std::vector<CourseProblem>* remarks) {
  static constexpr std::array<std::string_view, 11> kKeys = {
      "name",      "summary",  "points", "compute_capability", "hints",  "detour",
      "few_lines", "formerly", "idea",   "idea_unobserved",    "predict"};
  const LessonReader reader(table, file);
  RungInfo rung;
  rung.toml_line = line_of(table);
  rung.name = reader.text("name", true);
  const NumberedName parts = split_numbered(rung.name);
  if (parts.number < 1)
    reader.fail(line_of(*table.get("name")),
                fmt::format("the rung's name `{}` is not of the form N_idea", rung.name));
  rung.number = parts.number;
  rung.idea = parts.rest;
  rung.summary = reader.text("summary", true);
  rung.points = reader.number("points", 1);
  rung.compute_capability = reader.text("compute_capability", false);
  if (!rung.compute_capability.empty() && !is_capability(rung.compute_capability))
    reader.fail(line_of(*table.get("compute_capability")), "`compute_capability` must look like \"7.5\"");
  rung.hints = parse_hints(table, file, remarks);
  rung.detour = reader.text("detour", table.contains("detour"));
  rung.few_lines = reader.text("few_lines", table.contains("few_lines"));
  rung.formerly = reader.texts("formerly");
  rung.how = parse_idea(table, file, remarks);
  rung.questions = parse_questions(table, file, remarks);
  reader.note_unknown(kKeys, remarks);
  return rung;
}

void read_rungs(const toml::table& table, const LessonReader& reader, const fs::path& file,
                LessonInfo& lesson, std::vector<CourseProblem>* remarks) {
  const toml::node* node = table.get("rung");
  if (node == nullptr) reader.fail(0, "no [[rung]] is described");
  const toml::array* rungs = node->as_array();
  if (rungs == nullptr)
    reader.fail(line_of(*node), "`rung` must be a list of tables: write [[rung]], with two brackets");
  for (const toml::node& element : *rungs) {
    const toml::table* rung_table = element.as_table();
    if (rung_table == nullptr)
      reader.fail(line_of(element), "`rung` must be a list of tables: write [[rung]]");
    RungInfo rung = parse_rung(*rung_table, file, remarks);
    for (const RungInfo& other : lesson.rungs)
      if (other.number == rung.number)
        reader.fail(rung.toml_line, fmt::format("two rungs have the number {}: `{}` and `{}`", rung.number,
                                                other.name, rung.name));
    lesson.rungs.push_back(std::move(rung));
  }
}

}  // namespace

std::string Question::key() const {
  return counted ? fmt::format("{} {}", to_string(counted->metric), fmt::join(counted->of, " ")) : original;
}

std::string LessonInfo::id() const { return fmt::format("{:02}", number); }
std::string LessonInfo::id(const RungInfo& rung) const {
  return fmt::format("{:02}.{}", number, rung.number);
}

std::string CourseProblem::text() const {
  return line > 0 ? fmt::format("{}:{}: {}", file.string(), line, message)
                  : fmt::format("{}: {}", file.string(), message);
}

NumberedName split_numbered(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[digits]))) ++digits;
  if (digits == 0 || digits > 4 || digits + 1 >= name.size() || name[digits] != '_') return {};
  return {std::stoi(std::string(name.substr(0, digits))), std::string(name.substr(digits + 1))};
}

LessonInfo parse_lesson(std::string_view text, const fs::path& file, std::vector<CourseProblem>* remarks) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "title", "summary", "part", "difficulty", "minutes", "prerequisites", "formerly", "rung"};
  const toml::table table = parse_table(text, file);
  const LessonReader reader(table, file);
  LessonInfo lesson;
  lesson.folder = file.parent_path();
  lesson.readme = lesson.folder / "README.md";
  lesson.name = lesson.folder.filename().string();
  const NumberedName parts = split_numbered(lesson.name);
  if (parts.number < 0)
    reader.fail(0, fmt::format("the lesson's folder `{}` is not of the form NN_name", lesson.name));
  lesson.number = parts.number;
  lesson.short_name = parts.rest;
  lesson.title = reader.text("title", true);
  lesson.summary = reader.text("summary", true);
  lesson.part = reader.text("part", true);
  read_effort(table, reader, lesson);
  lesson.prerequisites = reader.texts("prerequisites");
  for (const std::string& name : reader.texts("formerly")) {
    const NumberedName old = split_numbered(name);
    lesson.formerly.push_back(old.number < 0 ? name : old.rest);
  }
  read_rungs(table, reader, file, lesson, remarks);
  reader.note_unknown(kKeys, remarks);
  return lesson;
}

namespace {

/// The lesson in the first of some languages that it has been translated to; as it is where there is none.
void put_into(LessonInfo& lesson, const std::vector<std::string>& languages, Course& course) {
  if (const auto readme = translation_of(lesson.readme, languages)) lesson.readme = readme->file;
  const auto texts = translation_of(lesson.folder / "lesson.toml", languages);
  if (!texts) return;
  try {
    lesson = translated(lesson, read_file(texts->file), texts->file);
    lesson.language = texts->language;
  } catch (const CourseError& problem) {
    course.problems.push_back(problem.problem());
  }
}

}  // namespace

Course load_course(const Project& project, const std::vector<std::string>& languages) {
  Course course;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(project.lessons(), error)) {
    if (!entry.is_directory() || split_numbered(entry.path().filename().string()).number < 0) continue;
    const fs::path file = entry.path() / "lesson.toml";
    try {
      if (!fs::exists(file)) throw CourseError({file, 0, "the lesson has no lesson.toml"});
      LessonInfo lesson = parse_lesson(read_file(file), file);
      lesson.solutions_folder = project.solutions() / lesson.name;
      lesson.skeletons_folder = project.skeletons() / lesson.name;
      put_into(lesson, languages, course);
      course.lessons.push_back(std::move(lesson));
    } catch (const CourseError& problem) {
      course.problems.push_back(problem.problem());
    }
  }
  if (error)
    throw Failure(ExitCode::environment,
                  fmt::format("cannot list {}: {}", project.lessons().string(), error.message()));
  std::sort(course.lessons.begin(), course.lessons.end(), [](const LessonInfo& a, const LessonInfo& b) {
    return std::pair(a.number, a.name) < std::pair(b.number, b.name);
  });
  return course;
}

}  // namespace ladder::cli
