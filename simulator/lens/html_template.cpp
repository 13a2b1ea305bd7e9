#include "simulator/lens/html_template.h"

#include <algorithm>
#include <stdexcept>

#include "language/catalogue.h"
#include "simulator/lens/markup.h"

namespace sim::lens {
namespace {

/// @p text with every indented line behind the one before it.
std::string continued(std::string_view text) {
  std::string joined;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n' || at + 1 == text.size() || text[at + 1] != ' ') {
      joined += text[at];
      continue;
    }
    if (!joined.empty() && joined.back() != '>' && joined.back() != '}') joined += ' ';
    at = std::min(text.find_first_not_of(' ', at + 1), text.size()) - 1;
  }
  return joined;
}

/// Words in the reader's language, with the values that they name; a name without a value is for the page's
/// script.
std::string in_words(std::string_view english, HtmlTemplate::Values values) {
  std::string words = escaped(tr(std::string(english).c_str()));
  for (const HtmlTemplate::Value& value : values) {
    const std::string name = fmt::format("{{{}}}", value.name);
    if (const std::size_t at = words.find(name); at != words.npos)
      words.replace(at, name.size(), escaped(value.text));
  }
  return words;
}

}  // namespace

HtmlTemplate::HtmlTemplate(std::string_view file) {
  constexpr std::string_view kBegin = "<template id=\"", kBegun = "\">", kEnd = "</template>";
  std::size_t begin = file.find(kBegin);
  parts_[""] = continued(file.substr(0, begin));
  for (; begin != file.npos; begin = file.find(kBegin, begin)) {
    begin += kBegin.size();
    const std::size_t text = file.find(kBegun, begin) + kBegun.size(), end = file.find(kEnd, text);
    parts_[std::string(file.substr(begin, text - kBegun.size() - begin))] =
        continued(file.substr(text, end - text));
  }
}

std::string HtmlTemplate::part(std::string_view id, Values values) const {
  const auto found = parts_.find(id);
  if (found == parts_.end()) throw std::logic_error(fmt::format("a page has no part {}", id));
  const std::string_view text = found->second;
  std::string out;
  std::size_t at = 0;
  for (std::size_t open; (open = std::min(text.find("{{", at), text.find("[[", at))) != text.npos;) {
    if (text[open] == '[') {
      const std::size_t end = text.find("]]", open);
      out.append(text.substr(at, open - at)).append(in_words(text.substr(open + 2, end - open - 2), values));
      at = end + 2;
      continue;
    }
    const bool markup = text.substr(open).starts_with("{{{");
    const std::size_t from = open + (markup ? 3 : 2), to = text.find("}}", from);
    const std::string_view name = text.substr(from, to - from);
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.name == name; });
    if (value == values.end()) throw std::logic_error(fmt::format("{} of {} has no value", name, id));
    out.append(text.substr(at, open - at)).append(markup ? value->text : escaped(value->text));
    at = to + (markup ? 3 : 2);
  }
  return out.append(text.substr(at));
}

}  // namespace sim::lens
