#include "grader/sim/cache.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
namespace fs = std::filesystem;

namespace {

/// A program compiled from one file: its dependency list is what a compiler would write.
struct Compiled {
  CacheEntry entry;

  Compiled(const fs::path& cache, const std::string& key) : entry(cache, key) {}
  void make(const fs::path& source) {
    const fs::path folder = entry.begin();
    write_file(folder / "program", read_file(source));
    write_file(folder / "0.d", "program: " + source.string() + "\n");
    entry.keep({folder / "0.d"});
  }
};

}  // namespace

TEST_CASE("a program that was compiled twice at the same time stands where it is first looked for") {
  const sample::Tree tree;
  const fs::path cache = tree.project.root / "cache", source = tree.project.root / "a.cu";
  write_file(source, "one");
  Compiled first(cache, "a"), second(cache, "a");
  const fs::path began = second.entry.begin();
  first.make(source);
  REQUIRE(read_file(first.entry.folder() / "program") == "one");
  write_file(began / "program", "one");
  write_file(began / "0.d", "program: " + source.string() + "\n");
  second.entry.keep({began / "0.d"});
  CHECK(second.entry.folder() == first.entry.folder());
  CHECK(fs::exists(first.entry.folder() / "program"));
}

TEST_CASE("a program that still runs stays where it is when its source is compiled anew") {
  const sample::Tree tree;
  const fs::path cache = tree.project.root / "cache", source = tree.project.root / "a.cu";
  write_file(source, "one");
  Compiled running(cache, "a");
  running.make(source);
  write_file(source, "two");
  Compiled anew(cache, "a");
  CHECK(!anew.entry.fresh());
  anew.make(source);
  CHECK(read_file(running.entry.folder() / "program") == "one");
  CHECK(read_file(anew.entry.folder() / "program") == "two");
}

TEST_CASE("of many programs the longest unused go, but none that is in use") {
  const sample::Tree tree;
  const fs::path cache = tree.project.root / "cache", source = tree.project.root / "a.cu";
  write_file(source, "one");
  Compiled used(cache, "used");
  used.make(source);
  fs::path unused;
  {
    Compiled other(cache, "unused");
    other.make(source);
    unused = other.entry.folder();
  }
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(used.entry.folder(), long_ago);
  fs::last_write_time(unused, long_ago);
  for (int i = 0; i < 70; ++i) Compiled(cache, std::to_string(i)).make(source);
  CHECK(fs::exists(used.entry.folder() / "program"));
  CHECK(!fs::exists(unused));
}

TEST_CASE("a file that went into a program beside its sources makes it stale when it changes") {
  const sample::Tree tree;
  const fs::path cache = tree.project.root / "cache", source = tree.project.root / "a.cu";
  const std::string object = (tree.project.root / "b.o").string();
  write_file(source, "one");
  write_file(object, "object");
  {
    CacheEntry entry(cache, "a");
    const fs::path folder = entry.begin();
    write_file(folder / "0.d", "program: " + source.string() + "\n");
    entry.keep({folder / "0.d"}, {object});
  }
  CHECK(CacheEntry(cache, "a").fresh());
  write_file(object, "another");
  CHECK(!CacheEntry(cache, "a").fresh());
}
