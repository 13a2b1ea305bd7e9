// Editions: what of the course is in a folder. The whole has solutions; what an instructor hands out has not.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "grader/course/course.h"
#include "grader/course/project.h"
#include "grader/course/text/skeleton.h"

namespace ladder::cli {

/// What edition.json says, which lies in the root of an edition.
struct Edition {
  std::string name;    ///< "student"
  std::string commit;  ///< of the course that it was made from; empty where that was not known
  std::map<std::string, std::string>
      files;  ///< all that it brought: paths below its root, and each one's SHA-256
};

inline constexpr const char* kEditionFile = "edition.json";

/// Of the folder @p root; nothing where it is the whole course.
/// @throws Failure (environment) where the file cannot be understood
std::optional<Edition> edition_of(const std::filesystem::path& root);

/// edition.json's text.
std::string edition_json(const Edition& edition);

/// Whether finished rungs are here.
bool has_solutions(const Project& project);

/// @throws Failure (usage) where has_solutions() does not hold
void expect_solutions(const Project& project);

/// A text without its BEGIN HIDDEN … END HIDDEN regions: lines that an instructor keeps, such as further
/// cases, plainer hints, or notes. A marker stands alone on its line, in a comment of whatever language.
Skeleton without_hidden(std::string_view text);

/// Whether a path below the root, as "lessons/09_reduction/3_interleaved.cu", is a rung's file: the student's
/// own.
bool is_rung_file(const std::filesystem::path& relative);

}  // namespace ladder::cli
