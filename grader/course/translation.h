// Lessons in other languages: README.LANG.md and lesson.LANG.toml beside the files that they translate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"
#include "language/catalogue.h"

namespace ladder::cli {

using language::wanted_languages;

/// A file that translates another one.
struct Translation {
  std::filesystem::path file;  ///< "README.zh_CN.md"
  std::string language;        ///< "zh_CN"
};

/// The translation of a file into the first of some languages that there is one for.
std::optional<Translation> translation_of(const std::filesystem::path& original,
                                          const std::vector<std::string>& languages);

/// A lesson with the texts of its translation: `title`, `summary`, and in `[rung.NAME]` `summary`,
/// `detour`, and as lists in the order of lesson.toml `hints`, `asks` (its predictions) and `says` (its
/// idea's conditions). What is left out stays as it is.
/// @param text  of the translation
/// @param file  its name, for messages
/// @throws CourseError at the line that is to blame: another number of texts than the lesson has, an unknown
/// rung
LessonInfo translated(LessonInfo lesson, std::string_view text, const std::filesystem::path& file);

}  // namespace ladder::cli
