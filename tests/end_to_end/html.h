// The elements of a page, as far as tests look at them.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace end_to_end {

/// Elements in order, each with its attributes; and whether each that was opened is closed where it should
/// be.
struct Elements {
  std::vector<std::pair<std::string, std::string>> all;
  std::string mistake;

  explicit Elements(const std::string& html) {
    static const std::regex tag(
        R"re(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[-a-zA-Z:]+(?:="[^"<]*")?)*)\s*(/?)>)re");
    static const std::set<std::string> never_closed = {"meta", "link", "img", "br", "hr", "input"};
    std::vector<std::string> open;
    for (auto it = std::sregex_iterator(html.begin(), html.end(), tag); it != std::sregex_iterator(); ++it) {
      const std::string name = (*it)[2];
      if ((*it)[1].length() > 0) {
        if (open.empty() || open.back() != name) mistake = "</" + name + "> closes another element";
        if (!open.empty()) open.pop_back();
        continue;
      }
      all.emplace_back(name, (*it)[3]);
      if ((*it)[4].length() == 0 && !never_closed.contains(name)) open.push_back(name);
    }
    if (!open.empty()) mistake = "<" + open.back() + "> is not closed";
  }
};

/// The value of one of an element's attributes; empty where it has none of that name.
inline std::string attribute(const std::string& attributes, const std::string& name) {
  const std::size_t at = attributes.find(" " + name + "=\"");
  if (at == attributes.npos) return {};
  const std::size_t begin = at + name.size() + 3;
  return attributes.substr(begin, attributes.find('"', begin) - begin);
}

/// What is wrong with a page: elements that are not closed where they should be, ids that two have, pictures
/// without words in their place, and boxes to fill in that nobody names.
inline std::vector<std::string> faults(const std::string& html) {
  const Elements elements(
      std::regex_replace(html, std::regex("<(script|style)[^>]*>[^]*?</(script|style)>"), ""));
  std::vector<std::string> wrong;
  if (!elements.mistake.empty()) wrong.push_back(elements.mistake);
  std::set<std::string> ids, labelled;
  for (const auto& [name, attributes] : elements.all) {
    if (const std::string id = attribute(attributes, "id"); !id.empty() && !ids.insert(id).second)
      wrong.push_back("two elements have the id " + id);
    if (name == "label") labelled.insert(attribute(attributes, "for"));
  }
  for (const auto& [name, attributes] : elements.all) {
    if (name == "img" && attribute(attributes, "alt").empty())
      wrong.push_back("a picture has no words in its place: " + attribute(attributes, "src").substr(0, 80));
    if (name == "input" && attribute(attributes, "aria-label").empty() &&
        !labelled.contains(attribute(attributes, "id")))
      wrong.push_back("a box has no name:" + attributes);
    if (name == "html" && attribute(attributes, "lang").empty()) wrong.push_back("the page has no language");
  }
  return wrong;
}

}  // namespace end_to_end
