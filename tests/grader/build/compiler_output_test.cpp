#include "grader/build/compiler_output.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/platform/files.h"
#include "grader/run/refused.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* kFile = "/course/lessons/09_reduction/3_interleaved.cu";

// As nvcc 13.0 prints it.
constexpr const char* kNvcc =
    R"nvcc(/course/lessons/09_reduction/3_interleaved.cu(3): error: identifier "q" is undefined
  __attribute__((global)) void k(float* p) { int unused; q[0] = 1; }
                                                         ^

/course/lessons/09_reduction/3_interleaved.cu(4): warning #177-D: variable "unused" was declared but never referenced
  int unused;
      ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

/usr/include/c++/12/bits/predefined_ops.h(45): error: no operator "<" matches these operands
            operand types are: S < S
        { return *__it1 < *__it2; }
                        ^
/usr/include/c++/12/bits/stl_iterator.h(1254): note #3327-D: candidate function template failed deduction
      operator<(const A& __lhs,
      ^
          detected during:
            instantiation of "void std::__sort(_RAIter, _RAIter)" at line 4820 of /usr/include/c++/12/bits/stl_algo.h
            instantiation of "void std::sort(_RAIter, _RAIter) [with _RAIter=S *]" at line 15 of /course/lessons/09_reduction/3_interleaved.cu

2 errors detected in the compilation of "/course/lessons/09_reduction/3_interleaved.cu".
)nvcc";

}  // namespace

TEST_CASE("nvcc's errors keep their line, source and caret, with CUDA's keywords as the student wrote them") {
  const auto messages = read_compiler_output(split_lines(kNvcc), kFile);
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].line == 3);
  CHECK(messages[0].text == "identifier \"q\" is undefined");
  CHECK(messages[0].source == "  __global__ void k(float* p) { int unused; q[0] = 1; }");
  REQUIRE(messages[0].caret >= 0);
  CHECK(messages[0].source[static_cast<std::size_t>(messages[0].caret)] == 'q');
  CHECK(messages[1].severity == CompilerMessage::Severity::warning);
}

TEST_CASE("an error inside a library header is put at the student's line that led there") {
  const auto messages = read_compiler_output(split_lines(kNvcc), kFile);
  REQUIRE(messages.size() == 3);
  CHECK(messages[2].line == 15);
  CHECK(messages[2].through == "/usr/include/c++/12/bits/predefined_ops.h:45");
}

TEST_CASE("gcc's errors are read too") {
  const auto messages = read_compiler_output(
      split_lines(
          "/course/lessons/09_reduction/3_interleaved.cu:7:12: error: 'foo' was not declared in this scope\n"
          "    7 |   int x = foo();\n"
          "      |           ^~~\n"),
      kFile);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].line == 7);
  CHECK(messages[0].source == "  int x = foo();");
  CHECK(messages[0].caret == 10);
}

TEST_CASE("errors without a place are kept") {
  const auto messages = read_compiler_output(split_lines("At end of source: error: expected a \")\"\n\nptxas "
                                                         "fatal   : Ptx assembly aborted due to errors\n"),
                                             kFile);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].line == 0);
  CHECK(messages[0].text == "expected a \")\"");
  CHECK(messages[1].text == "Ptx assembly aborted due to errors");
}

TEST_CASE(
    "what a source calls itself never passes for nvcc's own words, however long and whatever its number") {
  const auto messages = read_compiler_output(
      {"nvcc fatal   : Out of memory(1): error: a value", "", "a(99999999999999): error: b(1): error: c", "",
       std::string(1'000'000, 'x') + "(7): error: d", std::string(1'000'000, ':'),
       "/usr/bin/ld: y(12): error: e"},
      kFile);
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].through == "nvcc fatal   : Out of memory:1");
  CHECK(messages[0].text == "a value");
  CHECK(messages[1].through == "a:0");
  CHECK(messages[2].through == "/usr/bin/ld: y:12");
  CHECK(says_where({"nvcc fatal   : no(1): error: x"}));
  CHECK_FALSE(says_where({"nvcc fatal   : Could not open input file 'x.cu'"}));
}

TEST_CASE("ninja's output is cut into the steps that failed") {
  const auto steps =
      failed_steps(split_lines("[1/3] nvcc a.cu\nFAILED: modules/x/a.student.so \ncd /x && nvcc a.cu\nline "
                               "one\n\nline two\n[2/3] nvcc b.cu\n"
                               "warning in b\nFAILED: [code=2] modules/x/c.student.so \nnvcc "
                               "c.cu\nother\nninja: build stopped: cannot make progress.\n"));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].output == "modules/x/a.student.so");
  CHECK(steps[0].lines == std::vector<std::string>{"line one", "", "line two"});
  CHECK(steps[1].output == "modules/x/c.student.so");
  CHECK(steps[1].lines == std::vector<std::string>{"other"});
  CHECK(failed_steps({"FAILED: a.so ", "nvcc", std::string(1'000'000, '['),
                      "[1/1000000] " + std::string(1'000'000, 'x')})
            .at(0)
            .lines.size() == 1);
}

TEST_CASE("a refused file makes a verdict that names the first error and shows the caret") {
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  const Verdict verdict = refused_verdict(
      lesson, lesson.rungs[1], read_compiler_output(split_lines(kNvcc), kFile), split_lines(kNvcc), kFile);
  CHECK(verdict.outcome == ladder::Outcome::build_failed);
  CHECK(verdict.headline == "does not compile: 3_interleaved.cu:3: identifier \"q\" is undefined");
  CHECK_THAT(verdict.detail,
             ContainsSubstring("     3 |   __global__ void k(float* p) { int unused; q[0] = 1; }\n"
                               "       |                                             ^\n"));
  CHECK_THAT(verdict.detail,
             ContainsSubstring("3_interleaved.cu:15: no operator \"<\" matches these operands"));
}

TEST_CASE("a wrong call within CUDA_CHECK is shown as it was written, with the caret at its place") {
  const std::vector<std::string> lines = split_lines(std::string(kFile) +
                                                     "(7): error: too few arguments in function call\n"
                                                     "    ::ladder::cuda_check((f(\")\")), \"f(\\\")\\\")\", "
                                                     "\"x.cu\", 7); ::ladder::cuda_check((cudaMemcpy(a, n)), "
                                                     "\"cudaMemcpy(a, n)\", \"x.cu\", 7);\n" +
                                                     std::string(96, ' ') + "^\n");
  const auto messages = read_compiler_output(lines, kFile);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].source == "    CUDA_CHECK(f(\")\")); CUDA_CHECK(cudaMemcpy(a, n));");
  CHECK(messages[0].source.substr(static_cast<std::size_t>(messages[0].caret - 1), 2) == "n)");
}

TEST_CASE("a host function in a kernel is told with what a kernel may call") {
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  const std::vector<std::string> lines =
      split_lines(std::string(kFile) +
                  "(7): error: calling a constexpr __host__ function(\"clamp\") from a __global__ "
                  "function(\"k\") is not allowed.\n");
  const Verdict verdict =
      refused_verdict(lesson, lesson.rungs[1], read_compiler_output(lines, kFile), lines, kFile);
  CHECK_THAT(verdict.advice, ContainsSubstring("fminf, fmaxf"));
}

TEST_CASE("output that nobody understands is shown as it is, without control characters") {
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  const Verdict verdict = refused_verdict(lesson, lesson.rungs[0], {}, {"nvcc was killed\033[2J"}, kFile);
  CHECK(verdict.headline == "does not compile");
  CHECK_THAT(verdict.detail, StartsWith("  nvcc was killed\n"));
}
