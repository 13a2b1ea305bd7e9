#include "grader/platform/process/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "grader/platform/failure.h"
#include "tests/grader/platform/process/soon.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::test;
using namespace std::chrono_literals;

namespace {

SubprocessOptions shell(const std::string& script) { return {.argv = {"sh", "-c", script}}; }

/// All that a shell script prints, started with these options.
std::string printed(SubprocessOptions options) {
  Pipe pipe;
  options.output = pipe.write.get();
  Subprocess process(options);
  pipe.write.reset();
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = ::read(pipe.read.get(), bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(n));
  process.wait();
  return text;
}

/// The same options by way of posix_spawn() and by way of fork().
template <class Check>
void both_ways(SubprocessOptions options, const Check& check) {
  check(options);
  options.death_signal = SIGKILL;
  check(options);
}

}  // namespace

TEST_CASE("a process gets its environment, folder, output and further descriptors") {
  const sample::Tree tree;
  Pipe further;
  SubprocessOptions options = shell("echo $LADDER_X; pwd; cat; echo said >&7");
  options.environment = {{"LADDER_X", "1"}};
  options.folder = tree.project.root;
  options.descriptors = {{7, further.write.get()}};
  both_ways(options, [&](const SubprocessOptions& way) {
    CHECK(printed(way) == "1\n" + std::filesystem::canonical(tree.project.root).string() + "\n");
    char said[8] = {};
    REQUIRE(::read(further.read.get(), said, sizeof said) == 5);
    CHECK(std::string(said) == "said\n");
  });
}

TEST_CASE("descriptors may trade places with those that they are made of") {
  Pipe one, two;
  const int a = one.write.get(), b = two.write.get();
  // By their names: dash takes no number of two digits.
  SubprocessOptions options =
      shell("echo 1 >/dev/fd/" + std::to_string(b) + "; echo 2 >/dev/fd/" + std::to_string(a));
  options.descriptors = {{b, a}, {a, b}};
  both_ways(options, [&](const SubprocessOptions& way) {
    CHECK(Subprocess(way).wait().ok());
    char said = 0;
    REQUIRE(::read(one.read.get(), &said, 1) == 1);
    CHECK(said == '1');
    REQUIRE(::read(two.read.get(), &said, 1) == 1);
    CHECK(said == '2');
    (void)!::read(one.read.get(), &said, 1);
    (void)!::read(two.read.get(), &said, 1);
  });
}

TEST_CASE("a process may have no descriptor but its own, close-on-exec or not") {
  const UniqueFd open(::open("/dev/null", O_RDONLY));
  const UniqueFd high(::fcntl(open.get(), F_DUPFD, 40));
  SubprocessOptions options = shell("test -e /dev/fd/40 && echo has it");
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way) == "has it\n"); });
  options.close_others = true;
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way).empty()); });
}

TEST_CASE("a program that cannot be started is named, with the reason") {
  SubprocessOptions options{.argv = {"/no/such/program"}};
  both_ways(options, [](SubprocessOptions way) {
    CHECK_THROWS_WITH(Subprocess(way), "cannot start /no/such/program: No such file or directory");
    way.name = "the helper";
    CHECK_THROWS_WITH(Subprocess(way), "cannot start the helper: No such file or directory");
  });
}

TEST_CASE("a status is there when the process has ended, and stays") {
  Subprocess process(shell("read nothing; exit 7"));
  const std::optional<ExitStatus> status = process.wait_for(5s);
  REQUIRE(status.has_value());
  CHECK(status->code == 7);
  CHECK_FALSE(process.running());
  CHECK(process.poll()->code == 7);
  CHECK(process.wait().code == 7);

  Subprocess slow(shell("sleep 30"));
  CHECK_FALSE(slow.wait_for(20ms).has_value());
  CHECK(slow.running());
  CHECK(slow.kill().signal == SIGKILL);
}

TEST_CASE("the end of a process can be polled for") {
  Subprocess process(shell("exit 0"));
  const UniqueFd end = process.end_fd();
  if (!end) SKIP("no pidfd here");
  pollfd watched{end.get(), POLLIN, 0};
  CHECK(::poll(&watched, 1, 5000) == 1);
}

TEST_CASE("a group ends with its leader, and with the object") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  SubprocessOptions options = shell("sleep 30 & echo $! > " + file.string() + "; read nothing");
  options.own_group = true;
  SECTION("its leader ends") { CHECK(Subprocess(options).wait_for(5s).has_value()); }
  SECTION("the object goes") {
    options.argv.back() += "; sleep 30";
    const Subprocess process(options);
    CHECK(soon([&] { return pid_in(file) > 0; }));
  }
  CHECK(soon([&] { return gone(pid_in(file)); }));
}

TEST_CASE("whoever has patience asks first") {
  SubprocessOptions options = shell("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  Pipe pipe;
  options.output = pipe.write.get();
  options.own_group = true;
  Subprocess process(options);
  char ready = 0;
  REQUIRE(::read(pipe.read.get(), &ready, 1) == 1);
  CHECK(process.end(5s).code == 5);
}

TEST_CASE("limits hold from the start") {
  SubprocessOptions options = shell("ulimit -n");
  options.limits = {{RLIMIT_NOFILE, 60}};
  CHECK(printed(options) == "60\n");
}

TEST_CASE("a process dies with the one that started it") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  const pid_t parent = ::fork();
  if (parent == 0) {
    SubprocessOptions options = shell("echo $$ > " + file.string() + "; exec sleep 30");
    options.death_signal = SIGKILL;
    Subprocess(options).wait();
    ::_exit(0);
  }
  REQUIRE(soon([&] { return pid_in(file) > 0; }));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(soon([&] { return gone(pid_in(file)); }));
}

TEST_CASE("signals do in a process what the options say") {
  // A shell keeps to what it finds ignored: its trap does nothing then.
  const std::string script = "trap 'echo caught' INT; kill -INT $$; echo end";
  SignalGuard guard;
  guard.ignore({SIGINT});
  SubprocessOptions options = shell(script);
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way) == "end\n"); });
  options.default_signals = {SIGINT};
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way) == "caught\nend\n"); });
  options = shell(script);
  options.before = &guard;
  CHECK(printed(options) == "caught\nend\n");
}

TEST_CASE("signals that wait here do not wait in a process that is given another mask") {
  SignalGuard guard;
  guard.block({SIGTERM});
  SubprocessOptions options = shell("kill -TERM $$; echo end");
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way) == "end\n"); });
  options.mask = guard.mask_before();
  both_ways(options, [](const SubprocessOptions& way) { CHECK(printed(way).empty()); });
}

TEST_CASE("a copy of this process does its work, and ends with its answer") {
  Pipe pipe;
  SubprocessOptions options;
  options.descriptors = {{9, pipe.write.get()}};
  options.close_others = true;
  int here = 1;
  Subprocess copy = Subprocess::copy(options, [&] {
    here = 2;
    return write_wholly(9, "x") && ::fcntl(10, F_GETFD) < 0 ? here : 0;
  });
  CHECK(copy.wait().code == 2);
  CHECK(here == 1);
  char said = 0;
  CHECK(::read(pipe.read.get(), &said, 1) == 1);
}
