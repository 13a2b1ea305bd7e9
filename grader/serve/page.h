// The page and its panels as HTML, from what lies in the student's folder.
#pragma once

#include <string>
#include <string_view>

#include "grader/records/results.h"
#include "grader/run/context.h"

namespace ladder::cli::serve {

/// What is shown.
struct View {
  Context& context;
  const LessonInfo& lesson;
  const RungInfo& rung;
  bool live = true;           ///< served; else the page is a file, which can do nothing
  std::string checking = {};  ///< what a check is under way of, "3_padded.cu"; empty: of nothing
  std::string trouble = {};   ///< what the last check said where it came to no verdict
};

/// A panel's contents.
/// @param name  "map", "status", "lesson", "source", "verdict", "lens", "timeline", "ladder" or "hints"
/// @return nothing where there is no such panel
std::optional<std::string> panel(const View& view, std::string_view name);

/// The whole page; of one that is no longer live, with style and script in it.
std::string page(const View& view);

}  // namespace ladder::cli::serve
