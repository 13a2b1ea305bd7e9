#include "grader/course/text/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grader/course/names.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

/// As words are compared: in small letters, without a function's underscores in front and a plural's last
/// letter.
std::string plain_word(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('_'), word.size()));
  std::string plain(word);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (plain.size() > 3 && plain.ends_with('s') && !plain.ends_with("ss")) plain.pop_back();
  return plain;
}

std::vector<std::string> names_in(std::string_view heading) {
  constexpr std::string_view kBetween = " · ";
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= heading.size();) {
    const std::size_t to = std::min(heading.find(kBetween, from), heading.size());
    names.emplace_back(heading.substr(from, to - from));
    from = to + kBetween.size();
  }
  return names;
}

}  // namespace

std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file) {
  std::vector<GlossaryEntry> glossary;
  for (const std::string& line : split_lines(read_file(file))) {
    if (line.starts_with("## ")) {
      glossary.push_back({names_in(std::string_view(line).substr(3)), ""});
    } else if (!glossary.empty() && !line.empty()) {
      std::string& text = glossary.back().text;
      text += (text.empty() ? "" : "\n") + line;
    }
  }
  return glossary;
}

const GlossaryEntry& find_entry(const std::vector<GlossaryEntry>& glossary, std::string_view word) {
  std::vector<std::string> known;
  for (const GlossaryEntry& entry : glossary)
    for (const std::string& name : entry.names) {
      if (plain_word(name) == plain_word(word)) return entry;
      known.push_back(name);
    }
  std::string advice;
  for (const std::string& name : nearest(word, known)) advice += fmt::format("Did you mean {}?\n", name);
  throw Failure(ExitCode::usage, fmt::format("there is no entry for \"{}\"", word),
                advice + "./ladder explain lists all words.");
}

}  // namespace ladder::cli
