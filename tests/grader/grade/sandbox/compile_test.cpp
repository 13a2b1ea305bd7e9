// From a student's file to a module: what the file is to blame for, and what the machine.
#include "grader/grade/sandbox/compile.h"

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/build/architecture.h"
#include "grader/build/toolchain.h"
#include "grader/platform/sha256.h"
#include "tests/grader/grade/class_folder.h"

using namespace grading;
using namespace ladder::cli;
using namespace ladder::cli::grade;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A grading outside of any sandbox, with a compiler of its own.
struct CompileFixture {
  TemporaryFolder folder{fs::temp_directory_path() / "ladder-compile"};
  Grading grading;
  Course course;
  const LessonInfo* lesson;
  explicit CompileFixture(const std::string& nvcc = "") {
    grading.project.root = checkout();
    grading.project.build = folder.path() / "build";
    fs::create_directories(grading.project.build);
    fs::create_symlink(fs::path(LADDER_BUILD_DIR) / "bin", grading.project.build / "bin");
    grading.work = folder.path() / "work";
    grading.sandboxed = false;
    grading.arch = "90";
    use(nvcc);
    course = load_course(grading.project);
    lesson = &*std::find_if(course.lessons.begin(), course.lessons.end(),
                            [](const LessonInfo& l) { return l.number == 3; });
  }
  /// From now on this script is nvcc; where it is empty, the real one.
  void use(const std::string& script) {
    nlohmann::json chain = read_json(fs::path(LADDER_BUILD_DIR) / "toolchain.json");
    if (!script.empty()) {
      const fs::path file = folder.path() / "toolkit" / "bin" / "nvcc";
      write_file(file, "#!/bin/sh\n" + script);
      fs::permissions(file, fs::perms::owner_all);
      ::setenv("REAL_NVCC", chain.at("nvcc").get<std::string>().c_str(), 1);
      ::setenv("CALLS", (folder.path() / "calls").c_str(), 1);
      chain["nvcc"] = file.string();
    }
    write_file(grading.project.build / "toolchain.json", chain.dump());
  }
  Compiled compiled(const std::string& source) const {
    const std::string hash = sha256(source);
    write_file(grading.source(hash), source);
    return compile(grading, *lesson, lesson->rungs.front(), hash);
  }
  bool remembers() const {
    std::error_code none;
    return fs::directory_iterator(grading.work / "modules", none) != fs::directory_iterator();
  }
};

const std::string kRight = solution("03_rgb_to_gray", "1_one_row");
constexpr const char* kNoProcess =
    "echo \"gcc: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable\" >&2; exit "
    "1\n";

}  // namespace

TEST_CASE("a compiler that fails for want of a process is tried again, and the file is judged as ever") {
  const CompileFixture fixture(
      std::string("n=$(cat $CALLS 2>/dev/null || echo 0); echo $((n + 1)) >$CALLS\n") +
      "[ $n -gt 0 ] && exec $REAL_NVCC \"$@\"\n" + kNoProcess);
  const Compiled compiled = fixture.compiled(kRight);
  INFO(compiled.refused.headline);
  CHECK(fs::exists(compiled.module));
}

TEST_CASE("trouble of the machine that lasts is nobody's verdict, and is not remembered") {
  CompileFixture fixture(kNoProcess);
  const Compiled compiled = fixture.compiled(kRight);
  CHECK(compiled.module.empty());
  CHECK(compiled.refused.outcome == ladder::Outcome::harness_failed);
  CHECK_THAT(compiled.refused.headline, ContainsSubstring("vfork"));
  CHECK_FALSE(fixture.remembers());
  fixture.use("");
  CHECK(fs::exists(fixture.compiled(kRight).module));
}

TEST_CASE("a compiler that dies of a file again and again, and of no other, refuses that file") {
  const CompileFixture fixture(
      "case \"$*\" in *-ptx*) ;; *) grep -q control lessons/*/*.cu || kill -9 $$ ;; esac\n"
      "exec $REAL_NVCC \"$@\"\n");
  const Compiled compiled = fixture.compiled(kRight);
  CHECK(compiled.refused.outcome == ladder::Outcome::build_failed);
  CHECK(fixture.remembers());
}

TEST_CASE("what the compiler says names the student's file as the student does") {
  const CompileFixture fixture;
  const Compiled compiled = fixture.compiled(
      "#include \"rgb_to_gray.h\"\n#include \"common/cuda_check.h\"\n"
      "static_assert(sizeof(__FILE__) == 0, __FILE__);\nint x = nothing;\n");
  CHECK(compiled.refused.outcome == ladder::Outcome::build_failed);
  CHECK_THAT(compiled.refused.headline, ContainsSubstring("1_one_row.cu:3"));
  const std::string all = compiled.refused.headline + compiled.refused.detail;
  CHECK_THAT(all, ContainsSubstring("lessons/03_rgb_to_gray/1_one_row.cu"));
  CHECK_THAT(all, !ContainsSubstring("/lessons/03_rgb_to_gray/1_one_row.cu"));
  CHECK(fixture.remembers());
}

TEST_CASE("a file is compiled for the architecture that the grading says, and told what that lacks") {
  CompileFixture fixture;
  const std::string newer = "__global__ void k(unsigned* p) { *p = __reduce_xor_sync(~0u, *p); }\n";
  CHECK(fs::exists(fixture.compiled(newer).module));
  fixture.grading.arch = "75";
  const Compiled old = fixture.compiled(newer);
  CHECK(old.module.empty());
  CHECK(old.refused.advice == "__reduce_xor_sync needs compute capability 8.0; this was compiled for 7.5.");
}

TEST_CASE("what the standard library brings unasked is there for a file that names it, and only then") {
  const CompileFixture fixture(
      "case \"$*\" in *-ptx*) ;; *) case \"$*\" in *SPECFUN*) echo lean >>$CALLS ;; *) echo full >>$CALLS ;; "
      "esac ;; esac\n"
      "exec $REAL_NVCC \"$@\"\n");
  const std::string kernel = "__global__ void k(int* p) { *p = 1; }\n",
                    calls = fixture.folder.path() / "calls";
  CHECK(fs::exists(
      fixture.compiled("#include <cstdint>\n" + kernel + "std::size_t n = 3; std::int64_t m = 4;\n").module));
  CHECK(read_file(calls) == "lean\n");
  for (const char* named :
       {"int n = std::min(3, 4);", "using namespace std; int n = numeric_limits<int>::max();",
        "namespace s = std; int n = s::max(3, 4);"}) {
    fs::remove(calls);
    INFO(named);
    CHECK(fs::exists(fixture.compiled(kernel + named + "\n").module));
    CHECK(read_file(calls) == "full\n");
  }
}

TEST_CASE("a missing check build is a verdict") {
  const CompileFixture fixture(
      "case \"$*\" in *-ptx*) grep -q control lessons/*/*.cu || { echo 'cicc: no' >&2; exit 2; } ;; esac\n"
      "exec $REAL_NVCC \"$@\"\n");
  const Compiled compiled = fixture.compiled(kRight);
  CHECK(compiled.refused.outcome == ladder::Outcome::build_failed);
  CHECK_THAT(compiled.refused.headline, ContainsSubstring("check build"));
}

// What a file makes the compiler leave in its folder may be anything. This one compiles, and then puts
// something else where a product, the text's digest, or the compiler's own words are looked for.
TEST_CASE("links and pipes in the compiler's folder are neither followed nor waited for") {
  const TemporaryFolder beside(fs::temp_directory_path() / "ladder-beside");
  const fs::path secret = beside.path() / "secret";
  write_file(secret, "nobody's business\n");
  fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
  const auto before = fs::status(secret).permissions();
  struct Trick {
    const char *name, *commands;
  };
  for (const Trick& trick :
       {Trick{"a module that is a link", "ln -sf \"$SECRET\" \"$out\""},
        Trick{"a module that is a pipe", "rm \"$out\"; mkfifo \"$out\""},
        Trick{"a module that is a folder", "rm \"$out\"; mkdir \"$out\""},
        Trick{"words that are a link",
              "d=$(dirname \"$out\"); rm \"$d/said.txt\"; ln -s \"$SECRET\" \"$d/said.txt\"; exit 1"},
        Trick{"words that are a pipe",
              "d=$(dirname \"$out\"); rm \"$d/said.txt\"; mkfifo \"$d/said.txt\"; exit 1"}}) {
    DYNAMIC_SECTION(trick.name) {
      ::setenv("SECRET", secret.c_str(), 1);
      const CompileFixture fixture(
          std::string(
              "out=; last=; for word in \"$@\"; do [ \"$last\" = -o ] && out=$word; last=$word; done\n"
              "case \"$out\" in *control*) exec \"$REAL_NVCC\" \"$@\" ;; esac\n"
              "rm -rf \"$out\"; echo >\"$out\"\n") +
          trick.commands + "\n");
      const Compiled compiled = fixture.compiled(kRight);
      CHECK(compiled.module.empty());
      CHECK(compiled.refused.outcome != ladder::Outcome::passed);
      CHECK_THAT(compiled.refused.headline + compiled.refused.detail + compiled.refused.advice,
                 !ContainsSubstring("nobody's business"));
      CHECK(fs::status(secret).permissions() == before);
      CHECK(read_file(secret) == "nobody's business\n");
    }
  }
}
