// The panels, one function each.
#pragma once

#include "grader/serve/page.h"
#include "simulator/lens/html_template.h"

namespace ladder::cli::serve {

/// A part of screen.html, filled in.
std::string part(std::string_view id, sim::lens::HtmlTemplate::Values values);

/// What the panels of a rung have in common.
struct Judged {
  std::optional<LatestResult> latest;
  bool current = false;  ///< it was of the file as it is now: its lines are those of the file
};
Judged judged(const View& view);

/// "line 12", as a button that opens the editor there where the page can; else as text.
std::string place_button(const View& view, int line);

/// @p text as the part of that name; nothing of an empty one.
std::string paragraph(const std::string& text, std::string_view kind = "words");
/// A finding as a picture; nothing where there is none.
/// A text as HTML: what stands between backticks as code.
std::string with_code(const std::string& text);
/// @param current  whether its file is as it was then
std::string drawn(const sim::Finding& finding, bool current);

std::string map_panel(const View& view);
std::string status_panel(const View& view);
std::string lesson_panel(const View& view);
std::string source_panel(const View& view);
std::string verdict_panel(const View& view);
std::string lens_panel(const View& view);
/// What shared memory does with a warp's reads whose neighbouring lanes are so far apart.
/// @param step, bytes  from lane to lane, and of a lane; multiples of 4
std::string what_if(int step, int bytes);
std::string timeline_panel(const View& view);
std::string ladder_panel(const View& view);
std::string hints_panel(const View& view);

}  // namespace ladder::cli::serve
