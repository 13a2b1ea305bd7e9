#include "grader/serve/book/book.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/platform/files.h"
#include "grader/serve/book/book.css.h"
#include "grader/serve/book/book.html.h"
#include "grader/serve/book/book.js.h"
#include "grader/serve/book/pages.h"
#include "grader/serve/book/search.h"
#include "grader/serve/text/markdown.h"
#include "grader/serve/text/text.css.h"
#include "simulator/lens/html_template.h"
#include "simulator/lens/svg.h"

namespace ladder::cli::serve {
namespace fs = std::filesystem;
namespace {

std::string book_part(std::string_view id, sim::lens::HtmlTemplate::Values values) {
  static const sim::lens::HtmlTemplate parsed(embedded::book_html);
  return parsed.part(id, values);
}

/// What stands between `<!-- quote: begin NAME ... -->` and its end in the README, without the fence:
/// commands made it, so it is what they say now.
std::string quote_of(const std::string& readme, const std::string& name) {
  const std::size_t begin = readme.find("<!-- quote: begin " + name + " ");
  const std::size_t fence = readme.find("```\n", begin), end = readme.find("\n```", fence + 4);
  if (begin == readme.npos || fence == readme.npos || end == readme.npos)
    throw Failure(ExitCode::environment, "README.md has no quote '" + name + "', which the front page shows");
  return readme.substr(fence + 4, end - fence - 4);
}

/// From a README, what says what this is: between its title and its first quote.
std::string lead_of(const std::string& readme) {
  const std::size_t begin = readme.find('\n'), end = readme.find("<!-- quote:");
  return begin < end ? readme.substr(begin, end - begin) : "";
}

class Book {
 public:
  Book(Context& context, const fs::path& folder)
      : context_(context), folder_(folder), pages_(book_pages(context.course(), context.project().root)) {}

  BookSize write() {
    fs::create_directories(folder_);
    for (std::size_t at = 0; at < pages_.size(); ++at) write_page(at);
    put("index.html", front());
    put("style.css", std::string(sim::lens::svg_colours()) + std::string(embedded::text_css) +
                         std::string(embedded::book_css));
    put("book.js", std::string(embedded::book_js));
    put("search.js", "window.ladderSections = " +
                         found_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ";\n");
    return size_;
  }

 private:
  void put(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    if (!name.ends_with(".html")) return;
    ++size_.pages;
    size_.largest = std::max(size_.largest, text.size());
  }

  /// Copies a picture of a page's folder. @return its address on the site
  std::string picture(const BookPage& page, const std::string& address) {
    const fs::path source = page.source.parent_path() / address;
    const std::string name = page.source.parent_path().filename().string() + "-" + source.filename().string();
    if (!fs::exists(source))
      throw Failure(ExitCode::environment, fmt::format("{} names a picture that is not there: {}",
                                                       context_.shown(page.source), address));
    fs::create_directories(folder_ / "pictures");
    write_file(folder_ / "pictures" / name, read_file(source));
    return "pictures/" + name;
  }

  std::string text_of(const BookPage& page) {
    MarkdownLinks links;
    links.picture = [&](const std::string& address) { return picture(page, address); };
    links.link = [&](const std::string& address) { return book_link(pages_, page, address); };
    return html_of(read_file(page.source), links);
  }

  /// All pages by group; below the one that is shown its sections.
  std::string contents(const BookPage* here, const std::vector<BookSection>& sections) const {
    std::string groups, entries;
    for (std::size_t at = 0; at < pages_.size(); ++at) {
      const BookPage& page = pages_[at];
      if (&page == here) {
        std::string below;
        for (const BookSection& section : sections)
          if (section.level == 3 && !section.anchor.empty())
            below += book_part("section", {{"anchor", section.anchor}, {"heading", section.heading}});
        entries +=
            book_part("current page", {{"file", page.file}, {"title", page.title}, {"sections", below}});
      } else {
        entries += book_part("page", {{"file", page.file}, {"title", page.title}});
      }
      if (at + 1 < pages_.size() && pages_[at + 1].group == page.group) continue;
      groups += book_part("group", {{"name", page.group}, {"pages", entries}});
      entries.clear();
    }
    return groups;
  }

  std::string neighbours(std::size_t at) const {
    const auto link = [&](const char* id, const BookPage& page) {
      return book_part(id, {{"file", page.file}, {"title", page.title}});
    };
    return book_part("neighbours", {{"previous", at > 0 ? link("previous", pages_[at - 1]) : ""},
                                    {"next", at + 1 < pages_.size() ? link("next", pages_[at + 1]) : ""}});
  }

  static std::string page_of(const std::string& title, const std::string& contents, const std::string& text,
                             const std::string& neighbours) {
    return book_part("",
                     {{"title", title}, {"contents", contents}, {"text", text}, {"neighbours", neighbours}});
  }

  void write_page(std::size_t at) {
    const BookPage& page = pages_[at];
    const std::string text = text_of(page);
    const std::vector<BookSection> sections = book_sections(text);
    for (const BookSection& section : sections)
      found_.push_back(
          {page.file, page.title, section.anchor, section.level == 2 ? "" : section.heading, section.words});
    put(page.file, page_of(page.title, contents(&page, sections), text, neighbours(at)));
  }

  /// Of each part of the course its lessons.
  std::string course() const {
    std::string parts, rows;
    for (std::size_t at = 0; at < pages_.size(); ++at) {
      const BookPage& page = pages_[at];
      if (page.lesson == nullptr) continue;
      rows += book_part("row", {{"file", page.file},
                                {"title", page.title},
                                {"summary", page.lesson->summary},
                                {"rungs", page.lesson->rungs.size()}});
      if (at + 1 < pages_.size() && pages_[at + 1].group == page.group) continue;
      parts += book_part("part", {{"name", page.group}, {"rows", rows}});
      rows.clear();
    }
    return parts;
  }

  std::string front() {
    const std::string readme = read_file(context_.project().root / "README.md");
    constexpr const char* kShown = "transpose_accesses.svg";
    const auto shown = std::find_if(pages_.begin(), pages_.end(), [&](const BookPage& page) {
      return page.lesson != nullptr && fs::exists(page.lesson->folder / kShown);
    });
    if (shown == pages_.end())
      throw Failure(ExitCode::environment,
                    fmt::format("no lesson has {}, which the front page shows", kShown));
    const std::string text = book_part(
        "front",
        {{"lead", html_of(lead_of(readme), {[](const std::string&) { return std::string(); },
                                            [](const std::string&) { return std::string(); }})},
         {"ladder", quote_of(readme, "measured")},
         {"finding", quote_of(readme, "guard")},
         {"picture", picture(*shown, kShown)},
         {"alt", "Two requests of a warp: neighbouring lanes in neighbouring words, and a row apart"},
         {"course", course()}});
    return page_of("Learn GPU programming by doing", contents(nullptr, {}), text, "");
  }

  Context& context_;
  fs::path folder_;
  std::vector<BookPage> pages_;
  nlohmann::json found_ = nlohmann::json::array();
  BookSize size_;
};

}  // namespace

BookSize write_book(Context& context, const fs::path& folder) { return Book(context, folder).write(); }

}  // namespace ladder::cli::serve
