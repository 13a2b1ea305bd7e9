#include "grader/grade/collect/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/grade/collect/collector.h"
#include "grader/grade/collect/locate.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"
#include "grader/platform/text.h"

namespace ladder::cli::grade {
using nlohmann::json;
namespace {

constexpr int kDeepestAnswer = 4;              // objects in lists in objects
constexpr std::size_t kLongestProblem = 4096;  // bytes

[[noreturn]] void refuse() {
  throw Failure(ExitCode::environment, "the process that read it gave no sensible answer");
}

std::string text(const json& object, const char* key, std::size_t most) {
  std::string value = object.at(key);
  if (value.size() > most || !is_text(value)) refuse();
  return value;
}

RungFile file_of(const json& told, const Course& course) {
  RungFile file;
  const std::string lesson = told.at("lesson"), rung = told.at("rung");
  for (const LessonInfo& one : course.lessons)
    if (one.name == lesson) file.lesson = &one;
  if (file.lesson == nullptr) refuse();
  for (const RungInfo& one : file.lesson->rungs)
    if (one.name == rung) file.rung = &one;
  if (file.rung == nullptr) refuse();
  file.path = text(told, "path", 3 * kLongestPath);
  file.contents = text(told, "contents", kLongestSource);
  file.hash = sha256(file.contents);
  return file;
}

}  // namespace

std::string answer_of(const Submission& submission) {
  json files = json::array(), ignored = json::array();
  for (const RungFile& file : submission.files)
    files.push_back({{"lesson", file.lesson->name},
                     {"rung", file.rung->name},
                     {"path", shortened(file.path, kLongestPath)},
                     {"contents", file.contents}});
  for (const Ignored& one : submission.ignored) ignored.push_back({{"path", one.path}, {"why", one.why}});
  return json{{"files", files},
              {"ignored", ignored},
              {"others", submission.others},
              {"origin", shortened(submission.origin, kLongestShown)},
              {"problem", shortened(submission.problem, kLongestProblem)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

void take_answer(std::string_view answer, const Course& course, Submission& into) {
  Submission read = into;
  try {
    if (is_nested_deeper(answer, kDeepestAnswer)) refuse();
    const json told = json::parse(answer);
    std::size_t bytes = 0;
    for (const json& one : told.at("files")) {
      read.files.push_back(file_of(one, course));
      bytes += read.files.back().contents.size();
      const auto same = [&](const RungFile& other) { return other.rung == read.files.back().rung; };
      if (bytes > kMostSources || std::count_if(read.files.begin(), read.files.end(), same) > 1) refuse();
    }
    for (const json& one : told.at("ignored"))
      read.ignored.push_back({text(one, "path", 2 * kLongestShown), text(one, "why", 2 * kLongestShown)});
    if (read.ignored.size() > kMostIgnored) refuse();
    read.others = told.at("others").get<std::size_t>();
    read.origin = text(told, "origin", 2 * kLongestShown);
    read.problem = text(told, "problem", 2 * kLongestProblem);
  } catch (const json::exception&) {
    refuse();
  }
  into = std::move(read);
}

}  // namespace ladder::cli::grade
