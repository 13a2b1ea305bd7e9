// The pictures of lessons: where the page finds them, and which files may be served.
#pragma once

#include <optional>
#include <string>

#include "grader/serve/page.h"

namespace ladder::cli::serve {

/// The address of a picture of the shown lesson's folder: below the page's own where it is served, else a
/// `data:` one that has all of it. Empty where there is no such picture.
std::string picture_address(const View& view, const std::string& name);

/// A picture as it is served.
struct ServedPicture {
  std::string type, bytes;
};
/// @param path  "05_transpose/tile.svg": a lesson, and a picture that lies in its folder; nothing else is
/// found
std::optional<ServedPicture> served_picture(const Course& course, const std::string& path);

}  // namespace ladder::cli::serve
