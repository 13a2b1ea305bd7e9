#include <fcntl.h>
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/failure.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/process/line_reader.h"
#include "grader/platform/process/subprocess.h"
#include "grader/platform/process/unique_fd.h"
#include "tests/grader/platform/process/soon.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace std::chrono_literals;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

TEST_CASE("a descriptor is closed once, by its last owner") {
  int number = -1;
  {
    UniqueFd first = open_null();
    number = first.get();
    REQUIRE(is_open(number));
    UniqueFd second = std::move(first);
    CHECK_FALSE(first);
    CHECK(second.get() == number);
  }
  CHECK_FALSE(is_open(number));

  UniqueFd given = open_null();
  number = given.release();
  CHECK_FALSE(given);
  CHECK(is_open(number));
  given.reset(number);
  given = open_null();
  CHECK(is_open(given.get()));
  given.reset();
  CHECK_FALSE(is_open(number));
}

TEST_CASE("a pipe that says no more than half a line hands that on at the end alone") {
  Pipe pipe;
  std::vector<std::string> lines;
  cli::LineReader reader(
      std::move(pipe.read), [&](std::string_view line) { lines.emplace_back(line); }, 8);
  CHECK(write_wholly(pipe.write.get(), "a\n\nhal"));
  reader.drain();
  CHECK(lines == std::vector<std::string>{"a", ""});
  CHECK(write_wholly(pipe.write.get(), "f a line that is long"));
  reader.drain();
  CHECK(lines.size() == 3);  // in pieces
  CHECK(write_wholly(pipe.write.get(), "end"));
  pipe.write.reset();
  reader.drain();
  CHECK(reader.fd() == -1);
  CHECK(lines.size() == 3);
  reader.finish();
  CHECK(lines.back() == "end");
}

TEST_CASE("a lock is one process's at a time") {
  const sample::Tree tree;
  const auto file = tree.project.root / "new" / "lock";
  {
    std::optional<FileLock> lock = FileLock::try_take(file);
    REQUIRE(lock.has_value());
    CHECK_FALSE(FileLock::try_take(file).has_value());
    const FileLock moved = std::move(*lock);
    lock.reset();
    CHECK_FALSE(FileLock::try_take(file).has_value());
  }
  CHECK(FileLock::try_take(file).has_value());
  CHECK_FALSE(FileLock::try_take(UniqueFd()).has_value());
  CHECK_THROWS_AS(FileLock(tree.project.root), cli::Failure);
}

TEST_CASE("who waits for a lock is told once, and gets it") {
  const sample::Tree tree;
  const auto file = tree.project.root / "lock";
  std::optional<FileLock> lock(file);
  Pipe pipe;
  Subprocess other = Subprocess::copy({}, [&] {
    lock.reset();  // the copy's descriptor; the lock stays this process's
    int told = 0;
    const FileLock second(file, [&] {
      ++told;
      write_wholly(pipe.write.get(), "w");
    });
    return told;
  });
  char said = 0;
  REQUIRE(::read(pipe.read.get(), &said, 1) == 1);
  CHECK_FALSE(other.poll().has_value());
  lock.reset();
  CHECK(other.wait().code == 1);
}

TEST_CASE("a lock is not inherited by programs, and ends with the process") {
  const sample::Tree tree;
  const auto file = tree.project.root / "lock";
  Pipe pipe;
  Subprocess holder = Subprocess::copy({}, [&] {
    const FileLock lock(file);
    const Subprocess program({.argv = {"sleep", "5"}, .own_group = true});  // longer than soon() waits
    write_wholly(pipe.write.get(), "x");
    ::pause();
    return 0;
  });
  char said = 0;
  REQUIRE(::read(pipe.read.get(), &said, 1) == 1);
  CHECK_FALSE(FileLock::try_take(file).has_value());
  holder.kill();
  CHECK(ladder::test::soon([&] { return FileLock::try_take(file).has_value(); }));
}
