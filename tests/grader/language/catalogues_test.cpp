// The catalogues in po/: whole, and with the places that the sources fill in.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "grader/platform/files.h"
#include "grader/platform/terminal.h"
#include "grader/present/ladder_view.h"
#include "grader/present/verdict_view.h"
#include "language/catalogue.h"
#include "tests/grader/support/needs.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;
namespace fs = std::filesystem;

namespace {

struct Entry {
  std::string english, translation;
  bool fuzzy = false;
};

/// The text between the quotes of a line.
std::string unquoted(const std::string& line) {
  const std::size_t begin = line.find('"') + 1;
  std::string text;
  for (std::size_t i = begin; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    ++i;
    text += line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

std::vector<Entry> entries_of(const fs::path& catalogue) {
  std::vector<Entry> entries;
  Entry entry;
  bool fuzzy = false;
  std::string* text = nullptr;
  const auto end = [&] {
    if (!entry.english.empty()) entries.push_back(entry);
    entry = {};
  };
  for (const std::string& line : split_lines(read_file(catalogue))) {
    if (line.starts_with("#,")) fuzzy = line.find("fuzzy") != std::string::npos;
    if (line.starts_with("msgid ")) {
      end();
      entry.fuzzy = fuzzy;
      fuzzy = false;
      text = &entry.english;
    } else if (line.starts_with("msgstr ")) {
      text = &entry.translation;
    }
    if (text != nullptr && line.find('"') != std::string::npos && !line.starts_with("#"))
      *text += unquoted(line);
  }
  end();
  return entries;
}

/// A place that a value goes to: which value, and how it is formatted.
using Place = std::pair<int, std::string>;

/// @param ends_word  only those that end a word: a plural's "s", which other languages may lack
std::set<Place> places_of(const std::string& text, bool ends_word = false) {
  static const std::regex place(R"(\{\{|\}\}|\{(\d*)(:[^}]*)?\}|%(?:(\d)\$)?s)");
  std::set<Place> places;
  int next = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    const std::smatch& m = *at;
    if (m.str() == "{{" || m.str() == "}}") continue;
    const bool percent = m.str().starts_with("%");
    const std::string number = percent ? m.str(3) : m.str(1);
    const int which = number.empty() ? next : std::stoi(number) - (percent ? 1 : 0);
    ++next;
    const auto begin = static_cast<std::size_t>(m.position());
    const bool at_word = begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0;
    if (!ends_word || at_word) places.emplace(which, percent ? "%s" : m.str(2));
  }
  return places;
}

/// The values that words of a page name: {title}.
std::set<std::string> names_of(const std::string& text) {
  static const std::regex name(R"(\{[a-z]+\})");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.insert(at->str());
  return names;
}

std::vector<fs::path> catalogues() {
  std::vector<fs::path> all;
  for (const auto& file : fs::directory_iterator(fs::path(LADDER_SOURCE_DIR) / "po"))
    if (file.path().extension() == ".po") all.push_back(file.path());
  return all;
}

/// Whether a text has places for values: not the code in it that has braces of its own.
bool is_format(const std::string& english) { return english.find("= {}") == std::string::npos; }

}  // namespace

TEST_CASE("a catalogue has every text of the sources, and each place for a value") {
  REQUIRE(!catalogues().empty());
  std::set<std::string> wanted;
  for (const Entry& entry : entries_of(fs::path(LADDER_SOURCE_DIR) / "po" / "ladder.pot"))
    wanted.insert(entry.english);
  REQUIRE(wanted.size() > 500);
  for (const fs::path& catalogue : catalogues()) {
    INFO(catalogue);
    std::set<std::string> missing = wanted;
    for (const Entry& entry : entries_of(catalogue)) {
      INFO(entry.english << "\n" << entry.translation);
      CHECK(!entry.fuzzy);
      CHECK(!entry.translation.empty());
      CHECK(missing.erase(entry.english) == 1);
      CHECK(names_of(entry.translation) == names_of(entry.english));
      if (!is_format(entry.english)) continue;
      const std::set<Place> english = places_of(entry.english), own = places_of(entry.translation),
                            optional = places_of(entry.english, true);
      for (const Place& place : own) CHECK(english.contains(place));
      for (const Place& place : english) CHECK((own.contains(place) || optional.contains(place)));
    }
    INFO("po/update takes them out of the sources");
    CHECK(missing.empty());
  }
}

TEST_CASE("the texts that translators get are those of the sources") {
  if (std::system("command -v xgettext >/dev/null") != 0) SKIP("no xgettext (apt install gettext)");
  if (!fs::exists(fs::path(LADDER_SOURCE_DIR) / ".git")) SKIP("no checkout");
  INFO("po/update takes them out of the sources");
  CHECK(std::system((std::string(LADDER_SOURCE_DIR) + "/po/update --check").c_str()) == 0);
}

TEST_CASE("the ladder's columns stand under their heads where these are Chinese") {
  if (!language::speak({"zh_CN"})) SKIP("no catalogue (apt install gettext)");
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  Terminal terminal;
  LadderView view(lesson, terminal);
  const RunDevice device{"H200", "simulator", "9.0", true, 7, 23, "sum, n=4194304", {}};
  const std::string head = view.head(device, true).back();
  Verdict verdict;
  verdict.rung = "1_serial";
  verdict.outcome = Outcome::passed;
  verdict.timing.emplace();
  verdict.timing->median_ms = 1.5;
  verdict.timing->modelled = true;
  verdict.timing->size = "sum, n=4194304";
  verdict.timing->speed_of_light = 0.5;
  verdict.timing->bound = "latency";
  const std::string row = view.row(verdict);
  language::speak({});
  const auto end_of = [](const std::string& line, const std::string& word) {
    REQUIRE(line.find(word) != std::string::npos);
    return display_width(line.substr(0, line.find(word) + word.size()));
  };
  INFO(head << "\n" << row);
  CHECK(end_of(head, "时间") == end_of(row, "1.50 ms"));
  CHECK(row.find("延迟") != std::string::npos);
  CHECK(display_width(row) <= 80);
}

TEST_CASE("prose without blanks is wrapped between wide characters, and not before a stop") {
  CHECK(wrap("一二三四五", 6) == std::vector<std::string>{"一二三", "四五"});
  CHECK(wrap("一二三，四五", 6) == std::vector<std::string>{"一二", "三，四", "五"});
  CHECK(wrap("在 tile[0] 里（见上）", 12) == std::vector<std::string>{"在 tile[0]", "里（见上）"});
}
