#include "grader/serve/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace ladder::cli::serve {
namespace {

/// How an editor with windows of its own is told the line.
struct Known {
  const char* name;
  const char* arguments;
};
constexpr auto kKnown = std::to_array<Known>({{"code", "-g {file}:{line}"},
                                              {"code-insiders", "-g {file}:{line}"},
                                              {"codium", "-g {file}:{line}"},
                                              {"cursor", "-g {file}:{line}"},
                                              {"zed", "{file}:{line}"},
                                              {"subl", "{file}:{line}"},
                                              {"clion", "--line {line} {file}"},
                                              {"kate", "--line {line} {file}"},
                                              {"kwrite", "--line {line} {file}"},
                                              {"gedit", "+{line} {file}"},
                                              {"gnome-text-editor", "{file}"},
                                              {"mousepad", "--line={line} {file}"},
                                              {"geany", "{file}:{line}"},
                                              {"gvim", "+{line} {file}"},
                                              {"emacsclient", "-n +{line} {file}"}});

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Words first, places then: a path with blanks stays one word.
std::vector<std::string> filled(const std::string& pattern, const std::string& file, int line) {
  std::vector<std::string> words = words_of(pattern);
  for (std::string& word : words)
    for (const auto& [name, value] :
         {std::pair<std::string_view, std::string>("{file}", file),
          std::pair<std::string_view, std::string>("{line}", std::to_string(line))})
      if (const std::size_t at = word.find(name); at != word.npos) word.replace(at, name.size(), value);
  return words;
}

}  // namespace

std::vector<std::string> editor_command(const std::filesystem::path& file, int line,
                                        const std::function<std::string(const char*)>& variable) {
  if (const std::string own = variable("LADDER_EDITOR"); !own.empty())
    return filled(own.find("{file}") == own.npos ? own + " {file}" : own, file.string(), line);
  std::vector<std::string> names;
  if (variable("TERM_PROGRAM") == "vscode") names.emplace_back("code");
  for (const char* name : {"VISUAL", "EDITOR"}) names.push_back(variable(name));
  for (const std::string& name : names) {
    const std::vector<std::string> words = words_of(name);
    if (words.empty()) continue;
    const std::string program = std::filesystem::path(words.front()).filename().string();
    const auto known =
        std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return program == k.name; });
    if (known != kKnown.end()) return filled(words.front() + " " + known->arguments, file.string(), line);
  }
  return {};
}

std::string editor_advice() {
  return "No editor with a window of its own is known here. Start ladder serve with LADDER_EDITOR set, such "
         "as "
         "LADDER_EDITOR='code -g {file}:{line}'.";
}

}  // namespace ladder::cli::serve
