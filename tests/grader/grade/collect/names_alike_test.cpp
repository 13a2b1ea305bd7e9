// Names that a reader cannot tell apart, and the files that results go to.
#include "grader/grade/collect/names_alike.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "grader/grade/publish/results.h"

using namespace ladder::cli::grade;

TEST_CASE("names that look alike have one look") {
  for (const auto& [a, b] : {std::pair{"Alice", "alice"},
                             {"alice", "\u0430lice"},           // Cyrillic
                             {"bob", "b\u03BFb"},               // Greek
                             {"M\u00FCller", "Mu\u0308ller"},   // composed and not
                             {"bob", "b\u200Bo\u200Db"},        // joiners
                             {"bob", "bo\uFE0Fb"},              // a selector
                             {"bob", "bo\u034Fb\u3164"},        // a joiner of marks, a filler
                             {"bob", "bo\U000E0062b"},          // a tag
                             {"\uAE40", "\u1100\u1175\u11B7"},  // Hangul
                             {"\u304C", "\u304B\u3099"}})       // kana
    CHECK(look_of(a) == look_of(b));
  for (const auto& [a, b] : {std::pair{"bob", "rob"},
                             {"\uAE40\uBBFC", "\uAC15\uBB38"},
                             {"\u304C", "\u304B"},
                             {"\u738B", "\u674E"},
                             {"\u0410\u043D\u043D\u0430", "\u0418\u0432\u0430\u043D"}})
    CHECK(look_of(a) != look_of(b));
}

TEST_CASE("names that look alike are told apart by code points, and the plain one keeps its name") {
  const std::vector<std::string> raw = {
      "\x01"
      "bob",
      "bob",
      "b\u043Eb",
      "bob\u200B",
      "bob ",
      "Bob",
      "carol",
      "carol",
      "M\u00FCller",
      "Mu\u0308ller",
      "\u674E\u660E"};
  std::vector<std::string> notes;
  const std::vector<std::string> shown = told_apart(raw, notes);
  CHECK(shown == std::vector<std::string>{"<U+0001>bob", "bob", "b<U+043E>b", "bob<U+200B>", "bob<U+0020>",
                                          "Bob", "carol", "carol-2", "M\u00FCller", "Mu<U+0308>ller",
                                          "\u674E\u660E"});
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "names that look alike: <U+0001>bob, Bob, b<U+043E>b, bob, bob<U+0020>, bob<U+200B>");
}

TEST_CASE("no two names share a file, also where large and small letters are the same") {
  const std::vector<std::string> names = {"alice",
                                          "Alice",
                                          "ALICE",
                                          "a b",
                                          "a_b",
                                          "a-b",
                                          "con",
                                          "nul.txt",
                                          "com1",
                                          "-rf",
                                          ".",
                                          "..",
                                          "a.",
                                          "a",
                                          "",
                                          "\u00E9",
                                          "e\u0301",
                                          std::string(300, 'x'),
                                          std::string(301, 'x'),
                                          file_name_for("a b")};
  std::set<std::string> files;
  for (const std::string& name : names) {
    std::string file = file_name_for(name);
    CHECK(file.size() < 130);
    CHECK_FALSE(file.starts_with('.'));
    CHECK_FALSE(file.starts_with('-'));
    CHECK_FALSE(file.ends_with('.'));
    CHECK(file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
          std::string::npos);
    std::transform(file.begin(), file.end(), file.begin(), [](unsigned char c) { return std::tolower(c); });
    files.insert(file);
  }
  CHECK(files.size() == names.size());
  CHECK(file_name_for("alice_17") == "alice_17");
  for (const char* device : {"con", "nul.txt", "com1", "lpt9.x"}) CHECK(file_name_for(device) != device);
}

TEST_CASE("two names whose hashes begin alike have two files") {
  CHECK(file_name_for("eve !!!,=&") !=
        file_name_for("eve !!**(%"));  // 8 digits are the same, and once were all
}
