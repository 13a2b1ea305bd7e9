// A package: `ladder` in PREFIX/bin, its tools in PREFIX/lib/cuda-ladder, the course as data, and neither
// CMake nor a build.
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
namespace fs = std::filesystem;

namespace {

/// Notes that it was called, and makes what it was asked for: the "preprocessed text" is the source.
constexpr const char* kNvcc = R"sh(#!/bin/sh
for word; do [ "$word" != --dryrun ] || exit 1; done  # a compiler that tells no plan
echo call >>"$(dirname "$0")/calls"
check= source= out= kept=
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    -keep-dir) kept=$2; shift ;;
    -G) check=yes ;;
    *.cu) source=$1 ;;
  esac
  shift
done
if grep -q WRONG "$source"; then echo "$source(2): error: expected an expression"; exit 2; fi
cat "$source" >"$kept/x.cpp1.ii"
if [ -n "$check" ] && grep -q OTHER "$source"; then echo more >>"$kept/x.cpp1.ii"; fi
echo made >"$out"
)sh";

constexpr const char* kToolchain = R"({"version": "0.1", "arch": "90", "check_flags": ["-G", "-ptx"],
"module_flags": ["-gencode", "arch=compute_90,code=compute_90", "-shared"]})";

struct Installed {
  sample::Tree tree;

  Installed() {
    tree.add_lesson("09_reduction");
    write_file(tools() / "toolchain.json", kToolchain);
    fs::create_directories(prefix() / "bin");
    fs::copy_file(end_to_end::ladder_binary(), prefix() / "bin" / "ladder");
    const fs::path source = LADDER_SOURCE_DIR;
    fs::create_directories(course() / "cmake" / "setup");
    for (const char* file : {"cmake/nvcc.sh", "cmake/setup/home.sh", "cmake/setup/init.sh"})
      fs::copy_file(source / file, course() / file);
    fs::copy_file(source / "cmake/package/ladder", course() / "ladder");
    for (const char* folder : {"lessons", "solutions"})
      fs::rename(tree.project.root / folder, course() / folder);
    fs::remove(tree.project.root / "CMakeLists.txt");
    sample::FakeCmake::write_program(cuda() / "bin" / "nvcc", kNvcc);
    sample::FakeCmake::write_program(
        tools() / "bin" / "runner-sim",
        sample::kRunnerHead + sample::verdict("1_serial", "passed") + "case \"$*\" in *3_interleaved*)\n" +
            sample::verdict("3_interleaved", "passed") + sample::verdict("10_warp_shuffle", "passed") +
            ";;\nesac\n" + sample::kDone);
  }
  fs::path prefix() const { return tree.project.root / "prefix"; }
  fs::path tools() const { return prefix() / "lib" / "cuda-ladder"; }
  fs::path course() const { return prefix() / "share" / "cuda-ladder"; }
  fs::path cuda() const { return tree.project.root / "cuda"; }
  fs::path mine() const { return tree.project.root / "mine"; }
  fs::path rung() const { return mine() / "lessons" / "09_reduction" / "1_serial.cu"; }
  std::size_t compiler_calls() const {
    return fs::exists(cuda() / "bin" / "calls") ? split_lines(read_file(cuda() / "bin" / "calls")).size() : 0;
  }

  Captured run(const fs::path& where, std::vector<std::string> args,
               const std::string& path = "/usr/bin:/bin") const {
    std::vector<std::string> words = {"env",
                                      "-i",
                                      "-C",
                                      where.string(),
                                      "PATH=" + path,
                                      "LC_ALL=C.UTF-8",
                                      "HOME=" + (tree.project.root / "home").string(),
                                      "CUDA_HOME=" + cuda().string(),
                                      (prefix() / "bin" / "ladder").string()};
    words.insert(words.end(), args.begin(), args.end());
    return capture(std::move(words));
  }
  void init() const { REQUIRE(run(tree.project.root, {"init", mine().string()}).status.ok()); }
};

bool says(const Captured& said, const std::string& part) {
  return said.output.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a package shows the course anywhere, and says how to get a folder of one's own") {
  const Installed f;
  const Captured map = f.run(f.tree.project.root, {});
  CAPTURE(map.output);
  CHECK(map.status.code == 0);
  CHECK(says(map, "0 of 3 rungs passed"));
  CHECK(says(map, "ladder init cuda-ladder"));
  CHECK(!says(map, "./ladder"));
  const Captured run = f.run(f.tree.project.root, {"run", "09.1", "--device", "sim"});
  CHECK(run.status.code == 2);
  CHECK(says(run, "no folder of yours"));
  CHECK(f.run(f.tree.project.root, {"reset", "09.1"}).status.code == 2);
  CHECK(f.compiler_calls() == 0);
}

TEST_CASE("ladder init makes a folder that ./ladder of it keeps up to date, and overwrites no rung") {
  const Installed f;
  f.init();
  CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  CHECK(!fs::is_symlink(f.rung()));
  CHECK(fs::is_symlink(f.mine() / "lessons" / "09_reduction" / "lesson.toml"));
  write_file(f.rung(), "mine\n");
  write_file(f.course() / "lessons" / "09_reduction" / "4_new.cu", "new\n");
  const Captured map = capture({"env", "-i", "PATH=/usr/bin:/bin", (f.mine() / "ladder").string()});
  CAPTURE(map.output);
  CHECK(map.status.code == 0);
  CHECK(says(map, "lessons/09_reduction/1_serial.cu"));
  CHECK(fs::exists(f.mine() / "lessons" / "09_reduction" / "4_new.cu"));
  f.init();
  CHECK(read_file(f.rung()) == "mine\n");
}

TEST_CASE("a package compiles a rung with nvcc itself, once for each text of it") {
  const Installed f;
  f.init();
  write_file(f.rung(), without_markers(sample::kSolution) + "// mine\n");
  const Captured first = f.run(f.mine(), {"run", "09.1", "--device", "sim"});
  CAPTURE(first.output);
  CHECK(first.status.code == 0);
  CHECK(f.compiler_calls() == 2);  // the fast build and the check build
  CHECK(f.run(f.mine(), {"run", "09.1", "--device", "sim"}).status.code == 0);
  CHECK(f.compiler_calls() == 2);
  write_file(f.rung(), without_markers(sample::kSolution) + "// mine, too\n");
  CHECK(f.run(f.mine(), {"run", "09.1", "--device", "sim"}).status.code == 0);
  CHECK(f.compiler_calls() == 4);
  write_file(f.mine() / "lessons" / "09_reduction" / "extra.h", "int x;\n");
  CHECK(f.run(f.mine(), {"run", "09.1", "--device", "sim"}).status.code == 0);
  CHECK(f.compiler_calls() == 6);
}

TEST_CASE("what the compiler refuses in a package's folder is told with its line") {
  const Installed f;
  f.init();
  write_file(f.rung(), "// a rung\nint x = WRONG;\n");
  const Captured refused = f.run(f.mine(), {"run", "09.1", "--device", "sim"});
  CAPTURE(refused.output);
  CHECK(refused.status.code == 1);
  CHECK(says(refused, "expected an expression"));
  CHECK(says(refused, "1_serial.cu:2"));
  write_file(f.rung(), "// OTHER\n");
  const Captured other = f.run(f.mine(), {"run", "09.1", "--device", "sim"});
  CHECK(other.status.code == 1);
  CHECK(says(other, "one program"));
}

TEST_CASE("the finished ladder of a package needs no compiler") {
  const Installed f;
  for (const char* rung : {"1_serial", "3_interleaved", "10_warp_shuffle"})
    for (const char* ending : {".solution.so", ".solution.check.ptx"})
      write_file(f.tools() / "modules" / "09_reduction" / (std::string(rung) + ending), "prebuilt");
  const Captured demo = f.run(f.tree.project.root, {"demo", "--device", "sim"});
  CAPTURE(demo.output);
  CHECK(demo.status.code == 0);
  CHECK(says(demo, "10 warp shuffle"));
  CHECK(f.compiler_calls() == 0);
  // Another GPU's architecture is another matter.
  f.init();
  CHECK(f.run(f.mine(), {"run", "09.1", "--solution", "--device", "sim", "--arch", "80"}).status.code == 0);
  CHECK(f.compiler_calls() == 2);
}

TEST_CASE("a package says what is missing, and what only a clone can do") {
  const Installed f;
  f.init();
  const fs::path bare = f.tree.project.root / "bare";
  fs::create_directories(bare);
  for (const char* tool : {"sh", "sed", "grep"}) fs::create_symlink(std::string("/bin/") + tool, bare / tool);
  const Captured none = f.run(f.mine(), {"run", "09.1", "--device", "sim"}, bare.string() + ":/nowhere");
  CAPTURE(none.output);
  CHECK(none.status.code == 3);
  CHECK(says(none, "there is no C++ compiler here"));
  fs::remove(f.cuda() / "bin" / "nvcc");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"bundle", "09"}, {"dev", "edition", "student", "x.tar.gz"}, {"test"}}) {
    const Captured said = f.run(f.mine(), words);
    CAPTURE(words, said.output);
    CHECK(said.status.code == 2);
    CHECK(says(said, "needs a clone of the course"));
  }
}
