// What compile_times.sh compiles to learn how fast this machine compiles: headers of the standard library, and templates
// of theirs at the tools' level of optimisation. It is never run.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

std::string replaced(const std::string& text, const std::string& expression) {
  return std::regex_replace(text, std::regex(expression), "replacement");
}
