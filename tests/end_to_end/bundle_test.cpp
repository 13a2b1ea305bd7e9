// `ladder bundle`: what it packs runs in another folder, with an empty environment, and speaks of nothing
// that is not there.
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
namespace fs = std::filesystem;

namespace {

/// A course that was built; its first rung is untouched and wrong, the others pass.
struct Packed {
  sample::Tree tree;
  sample::FakeCmake cmake;
  end_to_end::Outcome packing;

  Packed() : cmake(prepare(), "exit 0\n") {
    sample::add_runner(tree, sample::verdict("1_serial", "wrong_values") +
                                 "case \"$*\" in *3_interleaved*)\n" +
                                 sample::verdict("3_interleaved", "passed") +
                                 sample::verdict("10_warp_shuffle", "passed") + ";;\nesac\n" + sample::kDone);
    write_file(tree.project.build / "CMakeCache.txt", "LADDER_CUDART:FILEPATH=LADDER_CUDART-NOTFOUND\n");
    fs::copy_file(end_to_end::ladder_binary(), tree.project.binary("ladder"));
    const fs::path modules = tree.project.build / "modules" / "09_reduction";
    write_file(modules / "lesson.so", "");
    for (const char* rung : {"1_serial", "3_interleaved", "10_warp_shuffle"})
      write_file(modules / (std::string(rung) + ".student.so"), "module");
    packing = end_to_end::ladder(tree, {"bundle", "09", "--out", tarball().string()});
    fs::create_directories(there());
    REQUIRE(capture({"tar", "-C", there().string(), "-xf", tarball().string()}).status.ok());
    // Nothing of the course that it came from is needed.
    fs::rename(tree.project.root / "lessons", tree.project.root / "elsewhere");
  }
  fs::path tarball() const { return tree.project.root / "packed.tar.gz"; }
  fs::path there() const { return tree.project.root / "there"; }
  Captured run(std::vector<std::string> args) const {
    std::vector<std::string> words = {"env", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                      (there() / "cuda-ladder-09_reduction" / "run").string()};
    words.insert(words.end(), args.begin(), args.end());
    return capture(std::move(words));
  }

 private:
  const sample::Tree& prepare() const {
    tree.add_lesson("09_reduction");
    return tree;
  }
};

bool has(const Captured& said, const std::string& part) {
  return said.output.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a bundle runs anywhere, knows which tasks are open, and names its own command") {
  const Packed f;
  CAPTURE(f.packing.text);
  REQUIRE(f.packing.code == 0);
  CHECK(f.packing.has("only the simulator went in"));
  const Captured all = f.run({});
  CAPTURE(all.output);
  CHECK(all.status.code == 1);
  CHECK(has(all, "TODO(1) and TODO(2) are still to do"));
  CHECK(has(all, "3 interleaved"));
  CHECK(has(all, "./run 09.1"));
  CHECK(!has(all, "./ladder"));
  const Captured one = f.run({"09.1", "--device", "sim"});
  CHECK(one.status.code == 1);
  CHECK(has(one, "TODO(2) at"));
  const Captured none = f.run({"12.1"});
  CHECK(none.status.code == 2);
  CHECK(has(none, "no lesson is called \"12\""));
  CHECK(!has(none, "./ladder"));
}

TEST_CASE("a bundle holds no solution, unless that is what was asked for") {
  const Packed f;
  const Captured found =
      capture({"grep", "-rl", "float sum = 0", (f.there() / "cuda-ladder-09_reduction").string()});
  CAPTURE(found.output);
  CHECK(found.output.empty());
}
