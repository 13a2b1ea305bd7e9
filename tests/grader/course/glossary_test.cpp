#include "grader/course/text/glossary.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;

TEST_CASE("an entry of the glossary is found by each of its names, in any case and number") {
  const sample::Tree tree;
  const auto file = tree.project.root / "glossary.md";
  write_file(file,
             "# Words\n\nWhat is here.\n\n## speed of light · SOL\nA share.\n\nAnd more.\n\n## bank · "
             "shfl_sync\nA column.\n");
  const auto glossary = read_glossary(file);
  REQUIRE(glossary.size() == 2);
  CHECK(find_entry(glossary, "Speed of Light").text == "A share.\nAnd more.");
  CHECK(find_entry(glossary, "sol").names.front() == "speed of light");
  CHECK(find_entry(glossary, "banks").text == "A column.");
  CHECK(find_entry(glossary, "__shfl_sync").text == "A column.");
  try {
    find_entry(glossary, "bnak");
    FAIL("found");
  } catch (const Failure& failure) {
    CHECK(failure.code() == ExitCode::usage);
    CHECK(failure.advice().find("Did you mean bank?") != std::string::npos);
  }
}

TEST_CASE("each head of the ladder's table and each bound of the model has an entry, and no name has two") {
  const auto glossary = read_glossary(std::filesystem::path(LADDER_SOURCE_DIR) / "docs" / "glossary.md");
  std::set<std::string> names;
  for (const GlossaryEntry& entry : glossary) {
    CHECK(!entry.text.empty());
    for (const std::string& name : entry.names) {
      INFO(name);
      CHECK(names.insert(name).second);
    }
  }
  for (const char* head :
       {"time", "±", "× below", "× first", "speed of light", "bound by", "to beat", "~", "≈", "×",
        "share of light", "modelled", "recorded", "sectors", "wavefronts", "lanes at work", "hunt", "roof"}) {
    INFO(head);
    CHECK_NOTHROW(find_entry(glossary, head));
  }
  const std::string& bounds = find_entry(glossary, "bound by").text;
  for (const char* bound :
       {"DRAM", "L2", "L1", "shared", "issue", "atomics", "copies", "launch", "latency"}) {
    INFO(bound);
    CHECK(bounds.find('`' + std::string(bound) + '`') != std::string::npos);
  }
}

TEST_CASE("what students look up in the lessons has an entry") {
  const auto glossary = read_glossary(std::filesystem::path(LADDER_SOURCE_DIR) / "docs" / "glossary.md");
  for (const char* word :
       {"wmma", "fragment", "mma", "ldmatrix", "cp.async", "swizzle", "__shfl_down_sync", "shfl", "prefetch",
        "pinned", "cudaGetDevice", "migration", "copies", "mask", "look-back", "scan"}) {
    INFO(word);
    CHECK_NOTHROW(find_entry(glossary, word));
  }
}
