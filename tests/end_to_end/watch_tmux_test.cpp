// `ladder watch` inside tmux: what a person sees on a screen of 80 x 24, and after it became smaller.
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "grader/platform/terminal.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;

namespace {

class Tmux {
 public:
  explicit Tmux(const sample::Tree& tree, const std::string& rows = "24")
      : socket_((tree.project.root / "tmux").string()) {
    std::vector<std::string> start = {"new-session", "-d", "-x", "80", "-y", rows};
    for (const auto& [name, value] : end_to_end::course_environment(tree))
      if (name != "TERM") start.insert(start.end(), {"-e", name + "=" + value});
    start.push_back(end_to_end::ladder_binary() + " watch 09.1 --device sim; sleep 60");
    call(std::move(start));
  }
  Tmux(const Tmux&) = delete;
  Tmux& operator=(const Tmux&) = delete;
  ~Tmux() { call({"kill-server"}); }

  static bool there() { return capture({"tmux", "-V"}).status.ok(); }
  std::string call(std::vector<std::string> words) const {
    words.insert(words.begin(), {"tmux", "-f", "/dev/null", "-S", socket_});
    return capture(std::move(words)).output;
  }
  /// The screen, once it shows @p part and @p also; empty after half a minute.
  std::string screen_with(const std::string& part, const std::string& also = {}) const {
    for (int i = 0; i < 600; ++i, ::usleep(50'000))
      if (std::string screen = call({"capture-pane", "-p"});
          screen.find(part) != std::string::npos && screen.find(also) != std::string::npos)
        return screen;
    return {};
  }

 private:
  std::string socket_;
};

}  // namespace

TEST_CASE(
    "in tmux the page fits 80 x 24, waits with what does not, and older verdicts are in the scrollback") {
  if (!Tmux::there()) SKIP("tmux is not installed");
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const sample::FakeCmake cmake(tree, "exit 0\n");
  const auto rung = tree.project.lessons() / "09_reduction" / "1_serial.cu";
  std::string long_verdict = sample::verdict("1_serial", "wrong_values");
  std::string detail;
  for (int i = 1; i <= 40; ++i) detail += "detail " + std::to_string(i) + "\\n";
  long_verdict.replace(long_verdict.find("\"detail\":\"\""), 11, "\"detail\":\"" + detail + "\"");
  sample::add_runner(tree, "if grep -q long " + rung.string() + "; then\n" +
                               "cat >\"/dev/fd/$fd\" <<'END'\n" +
                               long_verdict.substr(7, long_verdict.size() - 9) + "\nEND\nelse\n" +
                               sample::verdict("1_serial", "passed") + "fi\n" + sample::kDone);
  const Tmux tmux(tree);
  REQUIRE(!tmux.screen_with("watching 1_serial.cu").empty());
  const std::string task = "TODO(1), line 3: add every element into a register";
  REQUIRE(!tmux.screen_with(task).empty());
  tmux.call({"resize-window", "-x", "24", "-y", "10"});
  REQUIRE(!tmux.screen_with("ct comes here.").empty());
  tmux.call({"resize-window", "-x", "80", "-y", "24"});
  CHECK(!tmux.screen_with(task).empty());  // a line that was cut is whole again
  write_file(rung, "// the first version\n");
  REQUIRE(!tmux.screen_with("passed in").empty());

  write_file(rung, "// a long story\n");
  // Its beginning is what counts. The page before may still tell of more lines than the smaller window had.
  const std::string screen = tmux.screen_with("more lines", "detail 1\n");
  REQUIRE(!screen.empty());
  CHECK(screen.find("detail 40\n") == std::string::npos);
  const std::vector<std::string> rows = split_lines(screen);
  CHECK(rows.size() <= 24);
  for (const std::string& row : rows) CHECK(display_width(row) <= 80);
  tmux.call({"send-keys", " "});
  const std::string second = tmux.screen_with("detail 30\n");
  UNSCOPED_INFO(tmux.call({"capture-pane", "-p"}));
  CHECK(!second.empty());
  tmux.call({"send-keys", " "});
  CHECK(!tmux.screen_with("detail 40\n").empty());
  CHECK(tmux.call({"capture-pane", "-p", "-S", "-200"}).find("passed in 3 cases") != std::string::npos);

  tmux.call({"resize-window", "-x", "60", "-y", "15"});
  const std::string smaller = tmux.screen_with("q quit");
  for (const std::string& row : split_lines(smaller)) CHECK(display_width(row) <= 60);
  tmux.call({"send-keys", "q"});
}

TEST_CASE("a list of rungs that is longer than the screen can be seen to its end before one is chosen") {
  if (!Tmux::there()) SKIP("tmux is not installed");
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const sample::FakeCmake cmake(tree, "exit 0\n");
  sample::add_runner(tree, sample::kDone);
  const Tmux tmux(tree, "8");
  REQUIRE(!tmux.screen_with("watching 1_serial.cu").empty());
  tmux.call({"send-keys", "m"});
  const std::string list = tmux.screen_with("Go to");

  CHECK(list.find("3 more lines") != std::string::npos);  // the question leaves room for the key
  CHECK(list.find("09.10") == std::string::npos);
  tmux.call({"send-keys", " "});
  CHECK(!tmux.screen_with("09.10").empty());
  tmux.call({"send-keys", "09.3", "Enter"});
  CHECK(!tmux.screen_with("watching 3_interleaved.cu").empty());
  tmux.call({"send-keys", "q"});
}
