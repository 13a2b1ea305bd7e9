// Lessons' texts and sources as HTML, and the command that opens an editor.
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "grader/serve/editor.h"
#include "grader/serve/text/highlight.h"
#include "grader/serve/text/markdown.h"
#include "grader/serve/text/pictures.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::serve;

namespace {

std::string html(const std::string& text) {
  return html_of(
      text, {[](const std::string& name) { return "picture/" + name; },
             [](const std::string& link) { return link.starts_with("https://") ? link : std::string(); }});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a lesson's headings, tables, folded answers and pictures become HTML") {
  const std::string page = html(
      "# 05 Transpose\n\n## Predict, then run\n\n![a tile](tile.svg)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
      "<details><summary>1. Why?</summary>\n\nBecause of *banks*.\n</details>\n");
  CHECK(has(page, "<h2><a id=\"05-transpose\"></a>05 Transpose</h2>"));
  CHECK(has(page, "<h3><a id=\"predict-then-run\"></a>"));
  CHECK(has(page,
            "<div class=\"picture\" tabindex=\"0\"><img src=\"picture/tile.svg\" alt=\"a tile\" /></div>"));
  CHECK(has(page, "<div class=\"scroll\" tabindex=\"0\"><table>"));
  CHECK(has(page, "<details><summary>1. Why?</summary>"));
  CHECK(has(page, "<em>banks</em>"));
}

TEST_CASE("boxes stand behind the text that asks for predictions, of its rung or of all") {
  const auto boxes = [](const std::string& text) {
    return html_of(
        text, {[](const std::string& name) { return name; }, [](const std::string& link) { return link; },
               [](int rung) { return "<b>" + std::to_string(rung) + "</b>"; }});
  };
  const std::string by_rung = boxes(
      "*Predict:* not of a rung.\n\n### 3 · Padded\n\nText.\n\n*Predict:* how many?\n\nMore.\n\n## "
      "Questions\n\n*Predict:* no.\n");
  CHECK(has(by_rung, "how many?</p>\n<b>3</b>\n<p>More."));
  CHECK(by_rung.find("<b>", by_rung.find("<b>") + 1) == std::string::npos);
  const std::string of_all = boxes("## Predict, then run\n\nNumbers:\n\n- one\n- two\n\nAfterwards.\n");
  CHECK(has(of_all, "</ul>\n<b>0</b>\n<p>Afterwards."));
}

TEST_CASE("a link that leads nowhere from the page leaves its words") {
  const std::string page = html("See [the contract](transpose.h) and [a paper](https://example.org/x).");
  CHECK(has(page, "See the contract and <a href=\"https://example.org/x\">a paper</a>."));
}

TEST_CASE("code in C++ has colours, other code has none") {
  CHECK(has(html("```cpp\nint x = 1;  // one\n```\n"),
            "<span class=\"t\">int</span> x = <span class=\"n\">1</span>;  <span class=\"c\">// one</span>"));
  CHECK(has(html("```sh\nint x\n```\n"), ">int x\n</code>"));
}

TEST_CASE("a source's lines keep their number, and a comment over several has its colour in each") {
  const auto lines = highlighted("/* one\n\n three */ int a;\n\"<&\";\n");
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "<span class=\"c\">/* one</span>");
  CHECK(lines[1].empty());
  CHECK(lines[2] == "<span class=\"c\"> three */</span> <span class=\"t\">int</span> a;");
  CHECK(lines[3] == "<span class=\"s\">&quot;&lt;&amp;&quot;</span>;");
}

TEST_CASE("strings, numbers and directives end where they end") {
  CHECK(highlighted("\"a\\\"b\" c")[0] == "<span class=\"s\">&quot;a\\&quot;b&quot;</span> c");
  CHECK(highlighted("'a")[0] == "<span class=\"s\">'a</span>");
  CHECK(
      highlighted("1'000 + 1e-3f - 0xe-1")[0] ==
      "<span class=\"n\">1'000</span> + <span class=\"n\">1e-3f</span> - <span class=\"n\">0xe</span>-<span "
      "class=\"n\">1</span>");
  CHECK(highlighted("#  include <x>")[0] == "<span class=\"d\">#  include</span> &lt;x&gt;");
  CHECK(highlighted("__global__ void f(threadIdx)")[0] ==
        "<span class=\"g\">__global__</span> <span class=\"t\">void</span> f(<span "
        "class=\"g\">threadIdx</span>)");
}

TEST_CASE("an editor is told the line in its own way, and a path with blanks stays one word") {
  const auto of = [](const std::string& name, const std::string& value) {
    return editor_command("/a b/x.cu", 7,
                          [&](const char* wanted) { return wanted == name ? value : std::string(); });
  };
  CHECK(of("VISUAL", "/usr/bin/code --wait") ==
        std::vector<std::string>{"/usr/bin/code", "-g", "/a b/x.cu:7"});
  CHECK(of("EDITOR", "kate") == std::vector<std::string>{"kate", "--line", "7", "/a b/x.cu"});
  CHECK(of("TERM_PROGRAM", "vscode") == std::vector<std::string>{"code", "-g", "/a b/x.cu:7"});
  CHECK(of("LADDER_EDITOR", "mine --at {line} {file}") ==
        std::vector<std::string>{"mine", "--at", "7", "/a b/x.cu"});
  CHECK(of("LADDER_EDITOR", "mine") == std::vector<std::string>{"mine", "/a b/x.cu"});
  CHECK(of("EDITOR", "vim").empty());  // there is no terminal for it
}

TEST_CASE("only pictures that lie in a lesson's folder are served") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  write_file(tree.project.lessons() / "09_reduction" / "tile.svg", "<svg/>");
  write_file(tree.project.lessons() / "09_reduction" / "notes.txt", "x");
  write_file(tree.project.root / "secret.svg", "<svg>secret</svg>");
  std::filesystem::create_directory(tree.project.lessons() / "09_reduction" / "folder.svg");
  const Course course = load_course(tree.project);
  REQUIRE(served_picture(course, "09_reduction/tile.svg"));
  CHECK(served_picture(course, "09_reduction/tile.svg")->type == "image/svg+xml");
  for (const char* path :
       {"09_reduction/../../secret.svg", "../secret.svg", "09_reduction/%2e%2e/%2e%2e/secret.svg",
        "09_reduction/notes.txt", "09_reduction/lesson.toml", "09_reduction/folder.svg", "09_reduction/",
        "09_reduction", "", "/", "/etc/passwd", "09_reduction//tile.svg", "nowhere/tile.svg"}) {
    CAPTURE(path);
    CHECK_FALSE(served_picture(course, path));
  }
}
