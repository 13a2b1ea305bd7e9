// A lesson's text as HTML: CommonMark with tables, as the forges show it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ladder::cli::serve {

/// Where what a text refers to is found on the page it becomes part of.
struct MarkdownLinks {
  std::function<std::string(const std::string&)> picture;  ///< for the address of a picture, another one
  /// For the address of a link another one; empty: the words stand without a link.
  std::function<std::string(const std::string&)> link;
  /// What stands behind a text that asks for predictions, as HTML: of the rung whose section it is in, or,
  /// where one section asks for all, of 0. Where it is empty, nothing does.
  std::function<std::string(int rung)> predictions = {};
};

/// @p text as HTML: headings are one level lower than in the text and have anchors, code in C++ has colours,
/// tables and code scroll by themselves, also by keyboard. HTML within the text (`<details>`) is taken as it
/// is: lessons are the course's own.
std::string html_of(std::string_view text, const MarkdownLinks& links);

}  // namespace ladder::cli::serve
