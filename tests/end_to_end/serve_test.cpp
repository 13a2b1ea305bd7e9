// `ladder serve` as a student starts it: the page follows what is saved and what is noted down, and its
// commands do what they say.
#include <poll.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/end_to_end/html.h"
#include "tests/end_to_end/served.h"

using namespace ladder::cli;
using end_to_end::Served;

TEST_CASE("serve shows lesson, source and tasks, and checks nothing that was not saved") {
  const Served f;
  const std::string page = f.get("");
  for (const char* part :
       {"<h2><a id=\"09-reduction\"></a>09 Reduction</h2>", "<details><summary>1. Why?</summary>",
        "picture/09_reduction/tile.svg", "TODO(1)", "Save the rung, and the verdict comes here.",
        "09.3 interleaved: untouched", "data-mode=\"live\""}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(f.get("picture/09_reduction/tile.svg").find("<svg") != std::string::npos);
  CHECK(f.get("panel/nothing").find("There is no such page") != std::string::npos);
  CHECK(f.course.builds() == 0);
}

TEST_CASE("a save is checked, and the page is told when that begins and what came of it") {
  const Served f;
  end_to_end::Events events = f.listen();
  f.course.save("// wrong\n");
  REQUIRE(events.wait_for("event: panels"));
  CHECK(f.becomes("panel/status", "not passed"));
  CHECK(f.get("panel/verdict").find("wrong_values") != std::string::npos);
  f.course.save("// right\n");
  CHECK(f.becomes("panel/status", "✓ passed"));
  CHECK(f.get("panel/map").find("09.1 serial: passed") != std::string::npos);
  CHECK(f.course.builds() == 2);
}

TEST_CASE("the page goes to whichever rung is saved, and to what is run in a terminal") {
  const Served f;
  end_to_end::Events events = f.listen();
  write_file(f.course.folder() / "3_interleaved.cu", "// wrong\n");
  REQUIRE(events.wait_for("data: 09.3 interleaved"));
  CHECK(f.becomes("panel/status", "not passed"));
  f.course.save("// right\n");
  REQUIRE(events.wait_for("data: 09.1 serial"));
  REQUIRE(f.becomes("panel/status", "✓ passed"));
  CHECK(end_to_end::ladder(f.course.tree, {"run", "09.3", "--device", "sim"}).code == 1);
  CHECK(events.wait_for("data: 09.3 interleaved"));
}

TEST_CASE("a newer save ends an older check") {
  const Served f("grep -q slow \"$LADDER_ROOT\"/lessons/09_reduction/1_serial.cu && sleep 60\nexit 0\n");
  f.course.save("// slow\n");
  REQUIRE(f.becomes("panel/status", "checking 1_serial.cu"));
  f.course.save("// right\n");
  CHECK(f.becomes("panel/status", "✓ passed"));
}

TEST_CASE("what is no verdict is shown as it was said") {
  const Served f("echo 'the disk is full' >&2\nexit 1\n");
  f.course.save("// right\n");
  CHECK(f.becomes("panel/verdict", "class=\"trouble\""));
}

TEST_CASE("commands go to a rung, show a hint and open the editor at a line") {
  const Served f;
  CHECK(f.post("go?rung=09.3") == 200);
  CHECK(f.becomes("panel/source", "3_interleaved.cu"));
  CHECK(f.post("go?rung=99.9") == 404);
  CHECK(f.get("panel/hints").find("Halve.") == std::string::npos);
  CHECK(f.post("hint") == 200);
  CHECK(f.becomes("panel/hints", "Halve."));
  CHECK(f.get("panel/hints").find("Halve each time.") == std::string::npos);
  CHECK(f.post("open?line=4") == 200);
  CHECK(f.opened() == (f.course.folder() / "3_interleaved.cu").string() + ":4\n");
  for (const char* line : {"", "0", "-1", "4;id", "$(id)", "99999999999999999999"}) {
    CAPTURE(line);
    CHECK(f.post(std::string("open?line=") + line) == 404);
  }
  CHECK(f.post("run?rung=09.1") == 404);
}

TEST_CASE("a number that the lesson asks for is kept, and the page says what came of it") {
  const Served f;
  CHECK(f.get("panel/lesson").find("<form data-rung=\"09.1\" data-at=\"0\">") != std::string::npos);
  CHECK(f.post("predict?rung=09.1&at=0&value=many") == 409);
  CHECK(f.post("predict?rung=09.1&at=1&value=8") == 404);
  CHECK(f.post("predict?rung=09.3&at=0&value=8") == 404);
  CHECK(f.post("predict?rung=09.1&at=0&value=8") == 200);
  CHECK(f.get("panel/lesson").find("you said 8; it is counted when the rung is right") != std::string::npos);
}

TEST_CASE("watch asks for the numbers that the lesson asks for, and keeps them") {
  const Served f;
  end_to_end::OnTerminal watch = end_to_end::watching(f.course);
  REQUIRE(watch.wait_for_next("takes your prediction of a number"));
  watch.type("p");
  REQUIRE(watch.wait_for_next("sectors of a request (Enter: not now):"));
  watch.type("1/4\n");
  REQUIRE(watch.wait_for_next("you said 0.25; it is counted when the rung is right"));
  watch.type("q");
  CHECK(watch.finish().code == 0);
  CHECK(f.becomes("panel/lesson", "you said 0.25"));
}

TEST_CASE("watch --page serves what the watcher checks, and ends with it") {
  const end_to_end::Watched course;
  end_to_end::OnTerminal watch = end_to_end::watching(course, {"--page"});
  REQUIRE(watch.wait_for_next("http://127.0.0.1:"));
  REQUIRE(watch.wait_for_next("watching"));
  const std::string& text = watch.text();
  const std::size_t at = text.find("http://127.0.0.1:");
  const end_to_end::Address address(text.substr(at, text.find_first_of(" \r\n\033", at) - at));
  course.save("// right\n");
  REQUIRE(watch.wait_for_next("passed"));
  CHECK(address.becomes("panel/status", "✓ passed"));
  CHECK(course.builds() == 1);
  CHECK(read_file(course.tree.project.root / "lens") == "1\n");  // what the page draws is asked for
  watch.type("q");
  CHECK(watch.finish().code == 0);
  CHECK(address.get("").empty());
}

TEST_CASE("a lesson that cannot be read is named on the page, and why") {
  const Served f;
  f.course.tree.add_lesson("12_other");
  write_file(f.course.tree.project.lessons() / "12_other" / "lesson.toml", "title = 3\n");
  const auto file = f.course.tree.project.root / "page.html";
  REQUIRE(end_to_end::ladder(f.course.tree, {"read", "09.3", "--out", file.string()}).code == 0);
  const std::string page = read_file(file);
  CHECK(page.find(">left out: ") != std::string::npos);
  CHECK(page.find("lessons/12_other/lesson.toml:1: <code>title</code> must be a string") !=
        std::string::npos);
}

TEST_CASE("the page's words are in the reader's language, and a text that is in English says so") {
  if (!std::filesystem::exists(std::filesystem::path(LADDER_BUILD_DIR) / "locale"))
    SKIP("no catalogue (apt install gettext)");
  const Served f;
  const auto file = f.course.tree.project.root / "page.html";
  end_to_end::Environment environment = end_to_end::course_environment(f.course.tree);
  environment.emplace_back("LADDER_LANG", "zh_CN");
  REQUIRE(run_process({{end_to_end::ladder_binary(), "read", "09.3", "--out", file.string()}, environment},
                      [](std::string_view) {})
              .ok());
  const std::string page = read_file(file);
  CHECK(end_to_end::faults(page) == std::vector<std::string>());
  CHECK(page.find("<html lang=\"zh-CN\"") != std::string::npos);
  CHECK(page.find("<div lang=\"en\"><h2>") != std::string::npos);
  for (const char* word : {">结论</button>", ">提示</button>", "这一级还没有检查过。"}) {
    CAPTURE(word);
    CHECK(page.find(word) != std::string::npos);
  }
}

TEST_CASE("read writes the page as a file that needs nothing else") {
  const Served f;
  const auto file = f.course.tree.project.root / "page.html";
  REQUIRE(end_to_end::ladder(f.course.tree, {"read", "09.3", "--out", file.string()}).code == 0);
  const std::string page = read_file(file);
  CHECK(end_to_end::faults(page) == std::vector<std::string>());
  for (const char* outside :
       {"src=\"http", "href=\"http", "src=\"picture", "screen.js\"", "@import", "url("}) {
    CAPTURE(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
  CHECK(page.find("data:image/svg+xml;base64,") != std::string::npos);
  CHECK(page.find("Halve each time.") != std::string::npos);  // of a file hints are folded, not kept back
  CHECK(page.find("<details open") == std::string::npos);
}
