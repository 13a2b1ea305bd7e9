#include "grader/platform/terminal.h"
#include "tests/grader/support/environment.h"
#include "tests/grader/support/needs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

using namespace ladder::cli;
using support::Environment;

namespace {

/// A pseudo-terminal's far end.
struct Pty {
  int master = -1, slave = -1;
  Pty() {
    needs::terminal();
    master = ::posix_openpt(O_RDWR | O_NOCTTY);
    ::grantpt(master);
    ::unlockpt(master);
    slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  }
  ~Pty() {
    ::close(slave);
    ::close(master);
  }
};

}  // namespace

TEST_CASE("colour is for terminals, and NO_COLOR, TERM=dumb and --color have their say") {
  const Environment term("TERM", "xterm"), no_colour("NO_COLOR", nullptr), columns("COLUMNS", nullptr);
  const Pty pty;
  REQUIRE(pty.slave >= 0);
  CHECK(Terminal::of(pty.slave).tty);
  CHECK(Terminal::of(pty.slave).colour);
  CHECK(!Terminal::of(pty.slave, ColourWish::never).colour);
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  CHECK(!Terminal::of(pipe[1]).colour);
  CHECK(Terminal::of(pipe[1], ColourWish::always).colour);
  CHECK(Terminal::of(pipe[1]).width == 80);
  {
    const Environment set("NO_COLOR", "1");
    CHECK(!Terminal::of(pty.slave).colour);
    CHECK(Terminal::of(pty.slave, ColourWish::always).colour);
  }
  const Environment dumb("TERM", "dumb");
  CHECK(!Terminal::of(pty.slave).colour);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_CASE("a locale that says it has no Unicode gets ASCII; one that says nothing gets Unicode") {
  const Environment all("LC_ALL", nullptr), type("LC_CTYPE", nullptr);
  for (const auto& [value, unicode] :
       {std::pair("C", false), std::pair("en_US.UTF-8", true), std::pair("C.utf8", true),
        std::pair<const char*, bool>(nullptr, true)}) {
    const Environment lang("LANG", value);
    CHECK(Terminal::of(1).unicode == unicode);
  }
}

TEST_CASE("paint leaves text alone where there is no colour") {
  Terminal terminal;
  CHECK(terminal.paint(Tone::bad, "x") == "x");
  terminal.colour = true;
  CHECK(terminal.paint(Tone::bad, "x") == "\033[31mx\033[0m");
  CHECK(terminal.paint(Tone::plain, "x") == "x");
}

TEST_CASE("width counts columns, not bytes, and no escape codes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("×█–") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("\033[1;31mred\033[0m") == 3);
  CHECK(display_width("\xff\xfe") == 2);  // no UTF-8: one column a byte, no crash
}

TEST_CASE("text is cut and padded by columns") {
  CHECK(shorten("interleaved", 11) == "interleaved");
  CHECK(shorten("interleaved", 6) == "inter…");
  CHECK(shorten("interleaved", 6, false) == "int...");
  CHECK(shorten("日本語", 5) == "日本…");
  CHECK(pad_right("×", 3) == "×  ");
  CHECK(pad_left("\033[1m×\033[0m", 3) == "  \033[1m×\033[0m");
  CHECK(pad_left("long", 2) == "long");
}

TEST_CASE("prose is wrapped at spaces; indented lines stay as they are") {
  CHECK(wrap("one two three four", 9) == std::vector<std::string>{"one two", "three", "four"});
  CHECK(wrap("a\n  code that is long and must stay\nb", 10) ==
        std::vector<std::string>{"a", "  code that is long and must stay", "b"});
  CHECK(wrap("unbreakableword x", 5) == std::vector<std::string>{"unbreakableword", "x"});
  CHECK(wrap("", 5) == std::vector<std::string>{""});
}

TEST_CASE("bars grow by eighths, never beyond their room, and show what is little") {
  CHECK(bar(1, 4, true) == "████");
  CHECK(bar(0.5, 4, true) == "██");
  CHECK(bar(0.53125, 4, true) == "██▏");
  CHECK(bar(0.0001, 4, true) == "▏");
  CHECK(bar(0, 4, true).empty());
  CHECK(bar(7, 4, true) == "████");
  CHECK(bar(0.5, 4, false) == "##");
  CHECK(bar(0.0 / 0.0, 4, true).empty());
}

TEST_CASE("what student code prints cannot steer the terminal") {
  CHECK(without_controls("a\033[2Jb\rc\007d\te\n") == "abcd\te\n");
  CHECK(without_controls("a\xc2\x9b"
                         "2Jb ä \xc2\xa0 \x9b") == "a2Jb ä \xc2\xa0 \x9b");  // as one character, too
}
