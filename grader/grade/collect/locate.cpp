#include "grader/grade/collect/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace ladder::cli::grade {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Names are matched by hand: std::regex calls itself for each character, and a hostile name has many.
constexpr std::string_view kDigits = "0123456789";

/// How many digits @p text begins with.
std::size_t leading_digits(std::string_view text) {
  return std::min(text.find_first_not_of(kDigits), text.size());
}

/// Cuts off the digits that @p text ends with. @return whether there were some
bool cut_digits(std::string_view& text) {
  const std::size_t last = text.find_last_not_of(kDigits),
                    kept = last == std::string_view::npos ? 0 : last + 1;
  const bool some = kept < text.size();
  text = text.substr(0, kept);
  return some;
}

/// Cuts off @p ending, with something left before it. @return whether it was there
bool cut(std::string_view& text, std::string_view ending) {
  if (text.size() <= ending.size() || !text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

/// The number of at most two digits, beside zeros, in "9", "lesson-09", "week 9 - sums".
std::optional<int> number_in(std::string_view name) {
  for (const std::string_view word : {"lesson", "rung", "lab", "week"})
    if (name.starts_with(word)) {
      name.remove_prefix(word.size());
      break;
    }
  name.remove_prefix(std::min(name.find_first_not_of(" _-"), name.size()));
  const std::size_t digits = leading_digits(name);
  if (digits == 0 ||
      (digits < name.size() && std::string_view(" _.-").find(name[digits]) == std::string_view::npos))
    return std::nullopt;
  std::string_view number = name.substr(0, digits);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  if (number.size() > 2) return std::nullopt;
  return std::stoi(std::string(number));
}

/// The lesson that a folder's name means: "09_reduction", "9", "lesson-09", "reduction".
const LessonInfo* lesson_of(const Course& course, const std::string& folder) {
  const std::string name = lower(folder);
  for (const LessonInfo& lesson : course.lessons)
    if (name == lesson.name || name == lesson.short_name) return &lesson;
  const std::optional<int> number = number_in(name);
  for (const LessonInfo& lesson : course.lessons)
    if (number == lesson.number) return &lesson;
  return nullptr;
}

/// "1_serial" of a second upload or download, "1_serial-2", "1_serial (1)", "1_serial_copy"; else nothing.
std::string without_count(std::string_view stem) {
  if (cut(stem, "_copy")) return std::string(stem);
  if (cut(stem, ")")) return cut_digits(stem) && cut(stem, " (") ? std::string(stem) : "";
  return cut_digits(stem) && cut(stem, "-") ? std::string(stem) : "";
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

bool is_too_long(std::string_view path) {
  std::size_t name = 0;
  for (const char c : path) {
    name = c == '/' ? 0 : name + 1;
    if (name > kLongestName) return true;
  }
  return path.size() > kLongestPath;
}

Located locate(const Course& course, std::string_view path) {
  if (path.size() < 3 || lower(path.substr(path.size() - 3)) != ".cu") return {};
  if (is_too_long(path)) return {nullptr, nullptr, "its path is longer than file systems take"};
  std::vector<std::string> parts = components(path);
  std::string stem = lower(parts.back().substr(0, parts.back().size() - 3));
  parts.pop_back();
  const LessonInfo* lesson = nullptr;
  for (auto part = parts.rbegin(); part != parts.rend() && lesson == nullptr; ++part)
    lesson = lesson_of(course, *part);

  std::vector<Located> found = candidates(course, lesson, stem);
  if (const std::string first = without_count(stem); found.empty() && !first.empty())
    found = candidates(course, lesson, first);
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

namespace {

/// Moodle: "Alice Smith_4711_assignsubmission_file_" with or without a file's name after it.
std::optional<Owner> moodle(std::string_view name) {
  static constexpr std::string_view kMark = "_assignsubmission_";
  for (std::size_t at = name.rfind(kMark); at != std::string_view::npos && at > 0;
       at = name.rfind(kMark, at - 1)) {
    std::string_view person = name.substr(0, at), rest = name.substr(at + kMark.size());
    if (!cut_digits(person) || !cut(person, "_")) continue;
    for (const std::string_view kind : {"file", "onlinetext"}) {
      if (!rest.starts_with(kind)) continue;
      rest.remove_prefix(kind.size());
      if (rest.starts_with('_')) rest.remove_prefix(1);
      return Owner{std::string(name.substr(0, at)), std::string(rest), false};
    }
  }
  return std::nullopt;
}

/// Canvas: "smithalice_LATE_17_4711_homework.zip"; the first number is the student's.
std::optional<Owner> canvas(std::string_view name) {
  std::vector<std::string_view> words;  // the name, and two numbers; the rest may have any
  bool late = false;
  while (words.size() < 3) {
    const std::size_t end = name.find('_');
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const std::string_view word = name.substr(0, end);
    name.remove_prefix(end + 1);
    if (words.size() == 1 && word == "LATE" && !late)
      late = true;
    else if (words.empty() || leading_digits(word) == word.size())
      words.push_back(word);
    else
      return std::nullopt;
  }
  if (name.empty()) return std::nullopt;
  return Owner{std::string(words[0]) + "_" + std::string(words[1]), std::string(name), late};
}

}  // namespace

Owner owner_of(const std::string& name) {
  if (is_too_long(name)) return {name, {}, false};
  if (const auto owner = moodle(name)) return *owner;
  if (const auto owner = canvas(name)) return *owner;
  return {name, {}, false};
}

}  // namespace ladder::cli::grade
