#include "simulator/lens/expression.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace sim::lens {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where a bracket that opens at @p from has been closed: behind it; npos where the line ends before.
std::size_t closed(std::string_view line, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < line.size(); ++at) {
    if (line[at] == '[') ++depth;
    if (line[at] == ']' && --depth == 0) return at + 1;
  }
  return line.npos;
}

/// An element in a line.
struct Place {
  std::string text;
  bool is_stored = false;   ///< by `=` behind it
  bool is_updated = false;  ///< by `+=` and the like
};

std::vector<Place> places_of(std::string_view line, std::string_view array) {
  std::vector<Place> places;
  for (std::size_t at = line.find(array); at != line.npos; at = line.find(array, at + 1)) {
    std::size_t end = at + array.size();
    if ((at > 0 && is_name(line[at - 1])) || end >= line.size() || line[end] != '[') continue;
    while (end != line.npos && end < line.size() && line[end] == '[') end = closed(line, end);
    if (end == line.npos) break;  // goes on in the next line
    Place place{std::string(line.substr(at, end - at))};
    std::string_view rest = line.substr(end);
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
    place.is_stored = rest.starts_with("=") && !rest.starts_with("==");
    place.is_updated =
        rest.size() > 1 && rest[1] == '=' && std::string_view("+-*/&|^%").find(rest[0]) != rest.npos;
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

std::string expression_in(std::string_view line, const AccessRecord& access) {
  const std::string& array = access.array.name;
  if (array.empty()) return {};
  std::string found;
  for (const Place& place : places_of(line.substr(0, line.find("//")), array)) {
    const bool stores = place.is_stored || place.is_updated;
    if (access.access == AccessKind::write ? !stores : access.access == AccessKind::read && place.is_stored)
      continue;
    if (!found.empty() && found != place.text) return {};
    found = place.text;
  }
  return found;
}

}  // namespace sim::lens
