#include "grader/serve/book/search.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace ladder::cli::serve {
namespace {

/// Without tags, and with the few entities that html_of() writes resolved.
std::string text_of(std::string_view html) {
  std::string text;
  for (std::size_t at = 0; at < html.size(); ++at) {
    if (html[at] == '<') {
      at = std::min(html.find('>', at), html.size());
      text += ' ';
    } else if (html[at] == '&') {
      const std::size_t end = html.find(';', at);
      const std::string_view name = html.substr(at + 1, end == html.npos ? 0 : end - at - 1);
      text += name == "lt" ? '<' : name == "gt" ? '>' : name == "quot" ? '"' : '&';
      if (name == "lt" || name == "gt" || name == "quot" || name == "amp") at = end;
    } else {
      text += html[at];
    }
  }
  return text;
}

std::string trimmed(const std::string& text) {
  std::string one_line;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      one_line += c;
    else if (!one_line.empty() && one_line.back() != ' ')
      one_line += ' ';
  if (one_line.ends_with(' ')) one_line.pop_back();
  return one_line;
}

/// Letters of any language count, which are bytes above 127; digits and _ as well, for names of functions.
std::string different_words(const std::string& text) {
  constexpr std::size_t kShortest = 4;
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 127 || std::isalnum(byte) != 0 || c == '_') {
      word += static_cast<char>(std::tolower(byte));
      continue;
    }
    if (word.size() >= kShortest && std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      words.insert(word);
    word.clear();
  }
  std::string all;
  for (const std::string& each : words) all += (all.empty() ? "" : " ") + each;
  return all;
}

}  // namespace

std::vector<BookSection> book_sections(std::string_view html) {
  std::vector<BookSection> sections;
  BookSection section;
  std::size_t from = 0;
  const auto end_at = [&](std::size_t at) {
    section.words = different_words(text_of(html.substr(from, at - from)));
    sections.push_back(section);
  };
  for (std::size_t at = html.find("<h"); at != html.npos; at = html.find("<h", at + 1)) {
    const std::string_view tag = html.substr(at, 4);
    if (tag != "<h2>" && tag != "<h3>") continue;
    end_at(at);
    const std::size_t close = html.find(std::string("</") + std::string(tag.substr(1)), at);
    const std::string_view heading = html.substr(at + 4, close - at - 4);
    const std::size_t id = heading.find("id=\"");
    section.anchor = id == heading.npos ? "" : heading.substr(id + 4, heading.find('"', id + 4) - id - 4);
    section.level = tag[2] - '0';
    section.heading = trimmed(text_of(heading));
    from = close;
  }
  end_at(html.size());
  return sections;
}

}  // namespace ladder::cli::serve
