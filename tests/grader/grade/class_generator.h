// Students by the hundred: each hands in some rungs right,
// some wrong in one of several ways, some not at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/grader/grade/class_folder.h"

namespace grading {

/// A lesson and the rungs of it that a generated student may hand in.
struct Homework {
  std::string lesson;
  std::vector<std::string> rungs;
};

enum class Work { right, wrong, no_compile, hangs, crashes, untouched, missing };

/// What a generated student does with a rung: two thirds are right, and one in fifty hangs.
inline Work work_of(int student, std::size_t rung) {
  std::uint64_t x = static_cast<std::uint64_t>(student) * 1'000'003 + rung * 7919 + 12345;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  const std::uint64_t die = x % 100;
  return die < 66   ? Work::right
         : die < 76 ? Work::wrong
         : die < 83 ? Work::no_compile
         : die < 85 ? Work::hangs
         : die < 89 ? Work::crashes
         : die < 95 ? Work::untouched
                    : Work::missing;
}

/// The outcomes that a kind of work may get.
inline bool fits(Work work, const std::string& outcome) {
  switch (work) {
    case Work::right:
      return outcome == "passed";
    case Work::wrong:
      return outcome == "wrong_values";
    case Work::no_compile:
      return outcome == "build_failed";
    case Work::hangs:
      return outcome == "timed_out";
    case Work::crashes:
      return outcome == "crashed";
    case Work::untouched:
      return outcome == "not_attempted";
    case Work::missing:
      return outcome == "not_submitted";
  }
  return false;
}

/// Replaces the body of the contract's function by @p body:
/// the one that is called as the lesson is, or the last one.
inline std::string with_body(std::string source, const std::string& lesson, const std::string& body) {
  std::size_t function = source.find("\ncudaError_t " + lesson.substr(3) + "(");
  if (function == std::string::npos) function = source.rfind("\ncudaError_t ");
  const std::size_t open = source.find("{\n", function), close = source.find("\n}\n", open);
  return source.replace(open + 1, close - open - 1, "\n" + body);
}

/// The file, different from every other student's by a comment, as files of different people are.
inline std::string file_of(Work work, const std::string& lesson, const std::string& rung, int student) {
  const std::string mine = "// by student " + std::to_string(student) + "\n" + solution(lesson, rung);
  switch (work) {
    case Work::wrong:
      return with_body(mine, lesson, "  return cudaSuccess;  // forgot to launch");
    case Work::no_compile:
      return mine + "this is no C++;\n";
    case Work::hangs:
      return with_body(mine, lesson, "  for (volatile int i = 0;; i = i + 1) {\n  }\n  return cudaSuccess;");
    case Work::crashes:
      return with_body(mine, lesson, "  *static_cast<volatile int*>(nullptr) = 1;\n  return cudaSuccess;");
    case Work::untouched:
      return skeleton(lesson, rung);
    default:
      return mine;
  }
}

inline std::string student_name(int number) { return "student" + std::to_string(1000 + number).substr(1); }

/// Hands in for one student into @p folder.
inline void make_student(const fs::path& folder, int student, const std::vector<Homework>& homework) {
  fs::create_directories(folder / student_name(student));
  std::size_t number = 0;
  for (const Homework& one : homework)
    for (const std::string& rung : one.rungs) {
      const Work work = work_of(student, number++);
      if (work != Work::missing)
        ladder::cli::write_file(folder / student_name(student) / one.lesson / (rung + ".cu"),
                                file_of(work, one.lesson, rung, student));
    }
}

/// Hands in for @p count students into @p folder.
inline void make_class(const fs::path& folder, int count, const std::vector<Homework>& homework) {
  for (int student = 0; student < count; ++student) make_student(folder, student, homework);
}

/// Compares the results with what the students did. @return the first difference; empty where there is none
inline std::string difference(const fs::path& results, int count, const std::vector<Homework>& homework) {
  for (int student = 0; student < count; ++student) {
    const fs::path file = results / "students" / (student_name(student) + ".json");
    if (!fs::exists(file)) return file.string() + " is missing";
    const nlohmann::json result = read_json(file);
    std::size_t number = 0;
    for (const Homework& one : homework)
      for (const std::string& rung : one.rungs) {
        const Work work = work_of(student, number++);
        const nlohmann::json told = rung_of(result, rung);
        if (!fits(work, told["outcome"]))
          return student_name(student) + " " + rung + " did " + std::to_string(static_cast<int>(work)) +
                 " and got " + told.dump();
        if ((work == Work::right) != (told["points"].get<double>() > 0)) return told.dump();
      }
  }
  return {};
}

/// Units that the journal says were done more than once.
inline std::size_t done_twice(const fs::path& results) {
  std::vector<std::string> lines =
      ladder::cli::split_lines(ladder::cli::read_file(results / ".work" / "journal.jsonl"));
  std::vector<std::string> keys;
  for (const std::string& line : lines) keys.push_back(nlohmann::json::parse(line).at("done"));
  std::sort(keys.begin(), keys.end());
  return static_cast<std::size_t>(keys.end() - std::unique(keys.begin(), keys.end()));
}

}  // namespace grading
