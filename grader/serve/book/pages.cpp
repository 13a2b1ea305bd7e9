#include "grader/serve/book/pages.h"

#include "grader/platform/files.h"

namespace ladder::cli::serve {
namespace fs = std::filesystem;
namespace {

/// For students first, then for those who teach or look inside.
constexpr const char* kGuides[] = {"student", "glossary",   "ideas", "litmus",
                                   "nsight",  "instructor", "trust", "platforms"};

/// The first heading of a text: "# Student guide".
std::string title_of(const std::string& text) {
  const std::size_t at = text.starts_with("# ") ? 0 : text.find("\n# ");
  if (at == text.npos) return {};
  const std::size_t begin = text.find("# ", at) + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::vector<BookPage> book_pages(const Course& course, const fs::path& root) {
  std::vector<BookPage> pages;
  for (const LessonInfo& lesson : course.lessons)
    if (fs::exists(lesson.folder / "README.md"))
      pages.push_back({lesson.name + ".html", lesson.id() + " " + lesson.title, lesson.part,
                       lesson.folder / "README.md", &lesson});
  for (const char* guide : kGuides) {
    const fs::path source = root / "docs" / (std::string(guide) + ".md");
    if (fs::exists(source))
      pages.push_back({std::string(guide) + ".html", title_of(read_file(source)), "Guides", source, nullptr});
  }
  return pages;
}

std::string book_link(const std::vector<BookPage>& pages, const BookPage& from, const std::string& address) {
  if (address.starts_with("https://") || address.starts_with("#")) return address;
  const std::size_t hash = address.find('#');
  const fs::path target = (from.source.parent_path() / address.substr(0, hash)).lexically_normal();
  for (const BookPage& page : pages)
    // A lesson's folder stands for its text, as on a forge.
    if (target == page.source || target / "README.md" == page.source)
      return page.file + (hash == address.npos ? "" : address.substr(hash));
  return {};
}

}  // namespace ladder::cli::serve
