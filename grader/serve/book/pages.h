// The texts of the course that are pages of its site, and their links among each other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/course.h"

namespace ladder::cli::serve {

/// A page of the site, made of one Markdown file.
struct BookPage {
  std::string file;              ///< "05_transpose.html"
  std::string title;             ///< "05 Transpose"
  std::string group;             ///< "I Basics", "Guides"
  std::filesystem::path source;  ///< absolute
  const LessonInfo* lesson = nullptr;
};

/// Lessons in their order, then the guides.
/// @param root  of the checkout @throws Failure (environment) where a guide cannot be read
std::vector<BookPage> book_pages(const Course& course, const std::filesystem::path& root);

/// Where a link of @p from leads on the site; empty where it leads to a file that is no page of it.
/// @param address  as it stands in the text
std::string book_link(const std::vector<BookPage>& pages, const BookPage& from, const std::string& address);

}  // namespace ladder::cli::serve
