// What editors are given: tasks whose problem matchers match what is really printed, and an entry for each
// kernel.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/present/verdict_view.h"
#include "grader/run/refused.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json read_with_comments(const fs::path& file) { return json::parse(read_file(file), nullptr, true, true); }

/// Of the default task's matchers, what the one of this owner takes from a line; an empty file where it does
/// not match.
struct Matched {
  std::string file, line, message;
};
Matched match(const std::string& owner, const std::string& text) {
  const json tasks = read_with_comments(fs::path(LADDER_SOURCE_DIR) / ".vscode" / "tasks.json");
  for (const json& matcher : tasks["tasks"][0]["problemMatcher"]) {
    if (matcher["owner"] != owner) continue;
    const json& pattern = matcher["pattern"];
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern["regexp"].get<std::string>()))) return {};
    return {found[pattern["file"].get<std::size_t>()], found[pattern["line"].get<std::size_t>()],
            found[pattern["message"].get<std::size_t>()]};
  }
  return {};
}

}  // namespace

TEST_CASE("VS Code's problem matchers find file and line in a verdict and in nvcc's messages") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  const LessonInfo& lesson = course.lessons[0];
  const std::string file = lesson.student_file(lesson.rungs[0]).string();
  const std::string said = file + "(14): error: identifier \"q\" is undefined";
  const auto messages = read_compiler_output({said, "    q = 3;", "    ^", ""}, file);
  const ladder::Verdict refused = refused_verdict(lesson, lesson.rungs[0], messages, {}, file);
  Terminal plain;
  const VerdictView view{lesson, lesson.rungs[0], refused, "1_serial.cu", {}, false};
  Matched found;
  for (const std::string& line : verdict_block(view, plain))
    if (found.file.empty()) found = match("ladder", line);
  CHECK(found.file == "1_serial.cu");
  CHECK(found.line == "14");
  CHECK(match("nvcc", said).line == "14");
  CHECK(match("nvcc", said).file == file);
  const Matched finding =
      match("ladder", "  out-of-bounds in global memory at 1_naive.cu:19 (transpose_kernel)");
  CHECK(finding.file == "1_naive.cu");
  CHECK(finding.line == "19");
  const Matched chinese = match("ladder", "  越界，全局内存: in[1][0] 在 1_naive.cu:19 (transpose_kernel)");
  CHECK(chinese.file == "1_naive.cu");
  CHECK(chinese.line == "19");
  const Matched open = match("ladder", "  TODO(2) at lessons/05_transpose/1_naive.cu:13: move this");
  CHECK(open.file == "1_naive.cu");
  CHECK(open.line == "13");
  CHECK(match("ladder", "  20.5 µs modelled at rows=2048, cols=2048").file.empty());
}

TEST_CASE("the files for editors are well formed") {
  for (const char* file :
       {".vscode/settings.json", ".vscode/extensions.json", ".devcontainer/devcontainer.json"})
    CHECK(read_with_comments(fs::path(LADDER_SOURCE_DIR) / file).is_object());
}

TEST_CASE("clangd is told how to read every rung") {
  const json entries = read_with_comments(fs::path(LADDER_BUILD_DIR) / "cuda" / "compile_commands.json");
  std::vector<std::string> known;
  for (const json& entry : entries) known.push_back(entry["file"]);
  Project project;
  project.root = LADDER_SOURCE_DIR;
  for (const LessonInfo& lesson : load_course(project).lessons)
    for (const RungInfo& rung : lesson.rungs) {
      CAPTURE(lesson.name, rung.name);
      CHECK(std::find(known.begin(), known.end(), lesson.student_file(rung).string()) != known.end());
    }
}

TEST_CASE(
    "clangd reads rungs without an error: aligned shared memory, loads with hints, groups, Tensor Cores") {
  if (!capture({"clangd", "--version"}).status.ok()) SKIP("clangd is not installed");
  const fs::path lessons = fs::path(LADDER_SOURCE_DIR) / "lessons";
  for (const char* rung :
       {"05_transpose/3_padded.cu", "19_matmul/6_vectorised.cu", "07_constant_and_texture/3_read_only.cu",
        "10_warp_primitives/7_cooperative_groups.cu", "23_tensor_cores/4_padded.cu"}) {
    const std::string said =
        capture({"clangd", "--check=" + (lessons / rung).string(), "--check-lines=1-1",
                 "--compile-commands-dir=" + (fs::path(LADDER_BUILD_DIR) / "cuda").string()})
            .output;
    CAPTURE(rung, said);
    CHECK(said.find("All checks completed, 0 errors") != std::string::npos);
  }
}
