// The tables of the READMEs, made of what a GPU measured.
#pragma once

#include <optional>
#include <string>

#include "grader/records/measured.h"

namespace ladder::cli {

/// The ladders of all sizes as `ladder run` prints them, without colours.
std::string ladders_of(const Measured& measured, const LessonInfo& lesson);

/// The README's map of lessons: a Markdown table, one row a lesson.
/// @param link  where a lesson's folder is, as seen from the README: "lessons/"
std::string map_table(const Course& course, const std::string& link);

/// @p text with what stands between `<!-- NAME: begin` … `-->` and `<!-- NAME: end -->` replaced.
/// @return nothing where the marks are missing
std::optional<std::string> between_marks(const std::string& text, const std::string& name,
                                         const std::string& content);

}  // namespace ladder::cli
