// What the search of the site knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli::serve {

/// A section of a page.
struct BookSection {
  int level = 2;        ///< of its heading: 2 is the page's title
  std::string anchor;   ///< "predict-then-run"; empty: the page's beginning
  std::string heading;  ///< as text
  std::string words;    ///< the different words of four letters and more below it, in small letters
};

/// The sections of a page by its headings of the second and third level, which were one level higher in the
/// text.
/// @param html  as html_of() makes it
std::vector<BookSection> book_sections(std::string_view html);

}  // namespace ladder::cli::serve
