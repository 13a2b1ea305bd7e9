#include "grader/cli/grade/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace ladder::cli::grade {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The lesson that a folder's name means: "09_reduction", "9", "lesson-09", "reduction".
const LessonInfo* lesson_of(const Course& course, const std::string& folder) {
  static const std::regex numbered("(?:lesson|rung|lab|week)?[ _-]*0*([0-9]{1,2})(?:[ _.-].*)?");
  const std::string name = lower(folder);
  for (const LessonInfo& lesson : course.lessons)
    if (name == lesson.name || name == lesson.short_name) return &lesson;
  std::smatch match;
  if (!std::regex_match(name, match, numbered)) return nullptr;
  for (const LessonInfo& lesson : course.lessons)
    if (lesson.number == std::stoi(match[1])) return &lesson;
  return nullptr;
}

const RungInfo* rung_named(const LessonInfo& lesson, const std::string& stem) {
  for (const RungInfo& rung : lesson.rungs)
    if (stem == lower(rung.name)) return &rung;
  const std::string number = lesson.id();
  for (const RungInfo& rung : lesson.rungs)
    for (const char* between : {"_", ".", "-"})
      if (stem == number + between + lower(rung.name)) return &rung;
  return nullptr;
}

/// A rung's name at the end of a longer one, such as a platform's "smith_17_4711_1_serial".
const RungInfo* rung_ending(const LessonInfo& lesson, const std::string& stem) {
  const RungInfo* longest = nullptr;
  for (const RungInfo& rung : lesson.rungs)
    if (stem.ends_with("_" + lower(rung.name)) &&
        (longest == nullptr || rung.name.size() > longest->name.size()))
      longest = &rung;
  return longest;
}

std::vector<Located> candidates(const Course& course, const LessonInfo* only, const std::string& stem) {
  std::vector<Located> found;
  for (const auto& find : {rung_named, rung_ending}) {
    for (const LessonInfo& lesson : course.lessons)
      if (only == nullptr || only == &lesson)
        if (const RungInfo* rung = find(lesson, stem)) found.push_back({&lesson, rung, {}});
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return parts;
}

Located locate(const Course& course, std::string_view path) {
  std::vector<std::string> parts = components(path);
  if (parts.empty() || !lower(parts.back()).ends_with(".cu")) return {};
  std::string stem = lower(parts.back().substr(0, parts.back().size() - 3));
  parts.pop_back();
  const LessonInfo* lesson = nullptr;
  for (auto part = parts.rbegin(); part != parts.rend() && lesson == nullptr; ++part)
    lesson = lesson_of(course, *part);

  std::vector<Located> found = candidates(course, lesson, stem);
  if (found.empty()) {  // a second upload, a second download: "1_serial-2", "1_serial (1)"
    static const std::regex again("(.*?)(?:-[0-9]+| \\([0-9]+\\)|_copy)");
    std::smatch match;
    if (std::regex_match(stem, match, again)) found = candidates(course, lesson, match[1]);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return {nullptr, nullptr,
            lesson != nullptr ? fmt::format("no rung of {} is called that", lesson->name)
                              : "no lesson has a rung called that"};
  std::string lessons;
  for (const Located& one : found) lessons += (lessons.empty() ? "" : ", ") + one.lesson->id();
  return {nullptr, nullptr,
          fmt::format("lessons {} have a rung called that: put it into a folder such as {}/", lessons,
                      found.front().lesson->id())};
}

Owner owner_of(const std::string& name) {
  // Moodle: "Alice Smith_4711_assignsubmission_file_" with or without a file's name after it.
  static const std::regex moodle("(.+_[0-9]+)_assignsubmission_(?:file|onlinetext)_?(.*)");
  // Canvas: "smithalice_LATE_17_4711_homework.zip"; the first number is the student's.
  static const std::regex canvas("([^_]+)(_LATE)?_([0-9]+)_[0-9]+_(.+)");
  std::smatch match;
  if (std::regex_match(name, match, moodle)) return {match[1], match[2], false};
  if (std::regex_match(name, match, canvas))
    return {match[1].str() + "_" + match[3].str(), match[4], match[2].matched};
  return {name, {}, false};
}

}  // namespace ladder::cli::grade
