// The course's texts as a static site.
#pragma once

#include <cstddef>
#include <filesystem>

#include "grader/run/context.h"

namespace ladder::cli::serve {

struct BookSize {
  std::size_t pages = 0;
  std::size_t largest = 0;  ///< bytes of the largest page, without its pictures
};

/// Writes the site: index.html, a page for each lesson and guide, pictures, style and search beside them.
/// @param folder  made where it is missing; files of the same names are replaced, others stay
/// @throws Failure (environment)
BookSize write_book(Context& context, const std::filesystem::path& folder);

}  // namespace ladder::cli::serve
