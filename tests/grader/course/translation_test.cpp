// Lessons in other languages: which is wanted, what it replaces, and whether those of the course are up to
// date.
#include "grader/course/translation.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <regex>

#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "tests/grader/support/environment.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;
using support::Environment;
namespace fs = std::filesystem;

namespace {

/// The languages that an environment asks for in which nothing but @p name speaks of one.
std::vector<std::string> wanted(const char* name, const char* value) {
  const Environment ladder("LADDER_LANG", nullptr), all("LC_ALL", nullptr), messages("LC_MESSAGES", nullptr),
      lang("LANG", nullptr), asked(name, value);
  return wanted_languages();
}

constexpr std::string_view kChineseTexts = R"(# translates lesson.toml 0123456789ab
title = "归约"
[rung.1_serial]
summary = "一个线程加全部"
hints = ["一个循环。", "对 n 的循环。"]
)";

std::string translation_problem(std::string_view text) {
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  try {
    translated(lesson, text, "lesson.zh.toml");
  } catch (const CourseError& error) {
    return error.what();
  }
  return "read without a complaint";
}

/// What a condition's text has filled in: "{value}".
std::vector<std::string> places_in(const std::string& text) {
  static const std::regex place(R"(\{\w+\})");
  std::vector<std::string> all(std::sregex_token_iterator(text.begin(), text.end(), place), {});
  std::sort(all.begin(), all.end());
  return all;
}

constexpr std::size_t kDigits = 12;  // of a fingerprint

/// Without what `ladder dev record` writes.
std::string without_tables(std::string_view text) {
  static constexpr std::string_view kBegin = "<!-- measured: begin", kEnd = "<!-- measured: end -->";
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  if (begin == text.npos || end == text.npos || end < begin) return std::string(text);
  return std::string(text.substr(0, begin)) + std::string(text.substr(end));
}

/// What a translation says it was made of: "translates README.md 0123456789ab" near its beginning, the number
/// being the beginning of the original's SHA-256. Tables that `dev record` writes do not count.
std::string fingerprint(std::string_view original) {
  return sha256(without_tables(original)).substr(0, kDigits);
}

/// Whether a translation was made of the original as it is.
bool is_current(std::string_view translation, std::string_view original) {
  static constexpr std::string_view kMark = "translates ";
  const std::size_t mark = translation.find(kMark);
  if (mark == translation.npos) return false;
  const std::size_t number = translation.find(' ', mark + kMark.size());
  return number != translation.npos && translation.substr(number + 1, kDigits) == fingerprint(original);
}

/// All translations in a lesson's folder, with their originals.
struct TranslatedFile {
  fs::path file, original;
};
std::vector<TranslatedFile> translations_in(const fs::path& folder) {
  std::vector<TranslatedFile> all;
  for (const char* name : {"README.md", "lesson.toml"}) {
    const fs::path original = folder / name;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const fs::path& file = entry.path();
      const std::string stem = file.stem().string(), begin = original.stem().string() + ".";
      if (file.extension() == original.extension() && stem.starts_with(begin))
        all.push_back({file, original});
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return all;
}

}  // namespace

TEST_CASE("the environment says which language is wanted, the exact one before the broad one") {
  using Names = std::vector<std::string>;
  CHECK(wanted("LANG", "zh_CN.UTF-8") == Names{"zh_CN", "zh"});
  CHECK(wanted("LC_ALL", "de") == Names{"de"});
  CHECK(wanted("LC_MESSAGES", "sr_RS@latin") == Names{"sr_RS", "sr"});
  CHECK(wanted("LADDER_LANG", "zh_CN") == Names{"zh_CN", "zh"});
  for (const char* english : {"C", "C.UTF-8", "POSIX", "en_GB.UTF-8", "../etc", "zh/CN"})
    CHECK(wanted("LANG", english).empty());
}

TEST_CASE("a translation's texts take the place of the lesson's, and what it leaves out stays") {
  const LessonInfo lesson = translated(parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml"),
                                       kChineseTexts, "lesson.zh.toml");
  CHECK(lesson.title == "归约");
  CHECK(lesson.summary == "Many numbers into one.");
  CHECK(lesson.rungs[0].summary == "一个线程加全部");
  CHECK(lesson.rungs[0].hints[1].text == "对 n 的循环。");
  CHECK(lesson.rungs[1].hints.size() == 3);
  CHECK(lesson.rungs[1].points == 2.5);
}

TEST_CASE("a translation that does not fit its lesson is told with its line") {
  CHECK(translation_problem("[rung.2_none]\nsummary = \"x\"\n") ==
        "lesson.zh.toml:1: the lesson has no rung `2_none`");
  CHECK(translation_problem("[rung.1_serial]\nhints = [\"one\"]\n") ==
        "lesson.zh.toml:2: `hints` has 1 text, and the lesson has 2");
  CHECK_THAT(translation_problem("title = \"\n"), ContainsSubstring("lesson.zh.toml:1: "));
  CHECK_THAT(translation_problem("title = 3\n"), ContainsSubstring("must be a string"));
}

TEST_CASE(
    "the course has a lesson's texts in the language that is wanted, and goes without a broken translation") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  tree.add_lesson("10_other");
  const fs::path folder = tree.project.lessons() / "09_reduction";
  write_file(folder / "README.zh_CN.md", "# 归约\n");
  write_file(folder / "lesson.zh.toml", kChineseTexts);
  write_file(tree.project.lessons() / "10_other" / "lesson.zh.toml", "title = 3\n");
  const Course english = load_course(tree.project), chinese = load_course(tree.project, {"zh_CN", "zh"});
  CHECK(english.lessons[0].title == "Reduction");
  CHECK(english.lessons[0].readme == folder / "README.md");
  CHECK(chinese.lessons[0].title == "归约");
  CHECK(chinese.lessons[0].readme == folder / "README.zh_CN.md");
  CHECK(chinese.lessons[0].language == "zh");
  REQUIRE(chinese.lessons.size() == 2);
  CHECK(chinese.lessons[1].title == "Reduction");
  REQUIRE(chinese.problems.size() == 1);
  CHECK_THAT(chinese.problems[0].text(), ContainsSubstring("lesson.zh.toml:1"));
  CHECK(english.problems.empty());
}

TEST_CASE("a translation is current as long as its original says the same, whatever was recorded since") {
  const std::string original = "# A\n<!-- measured: begin (x) -->\n1 ms\n<!-- measured: end -->\nb\n";
  const std::string translation = "<!-- translates README.md " + fingerprint(original) + " -->\n# 甲\n";
  CHECK(is_current(translation, original));
  CHECK(is_current(translation, "# A\n<!-- measured: begin (x) -->\n2 ms\n<!-- measured: end -->\nb\n"));
  CHECK_FALSE(is_current(translation, "# A\nb\n"));
  CHECK_FALSE(is_current("# 甲\n", original));
}

TEST_CASE("every translation of the course is of the text as it is, and fits it") {
  Project project;
  project.root = LADDER_SOURCE_DIR;
  const Course course = load_course(project);
  int seen = 0;
  for (const LessonInfo& lesson : course.lessons)
    for (const auto& [file, original] : translations_in(lesson.folder)) {
      ++seen;
      const std::string text = read_file(original), own = read_file(file);
      INFO(file.string() << " is of an older " << original.filename().string()
                         << ": bring it up to date, and write "
                         << "\"translates " << original.filename().string() << " " << fingerprint(text)
                         << "\" into it");
      CHECK(is_current(own, text));
      if (file.extension() != ".toml") continue;
      const LessonInfo put = translated(lesson, own, file);
      for (std::size_t r = 0; r < lesson.rungs.size(); ++r)
        for (std::size_t c = 0; c < lesson.rungs[r].how.conditions.size(); ++c)
          CHECK(places_in(put.rungs[r].how.conditions[c].says) ==
                places_in(lesson.rungs[r].how.conditions[c].says));
    }
  CHECK(seen >= 2);  // lesson 05 into Chinese
}
