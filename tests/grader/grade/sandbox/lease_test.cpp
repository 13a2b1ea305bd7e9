// What gradings on one machine do not share.
#include "grader/grade/sandbox/lease.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <vector>

using namespace ladder::cli::grade;

namespace {

constexpr unsigned kFirst = 1'000'000;  // of numbers that nobody else tries

std::optional<Lease> take(unsigned count) { return Lease::take("test", kFirst, count, 0, false); }

}  // namespace

TEST_CASE("a number is one holder's at a time, and free again when its holder lets go of it") {
  std::set<unsigned> numbers;
  {
    std::vector<Lease> held;
    while (std::optional<Lease> lease = take(3)) {
      numbers.insert(lease->number());
      held.push_back(std::move(*lease));
    }
    CHECK(numbers == std::set<unsigned>{kFirst, kFirst + 1, kFirst + 2});
    CHECK(held.size() == 3);
  }
  CHECK(take(3).has_value());
}

TEST_CASE("a number is free again when its holder is killed") {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const std::optional<Lease> lease = take(1);
    (void)!::write(ready[1], lease ? "1" : "0", 1);
    for (;;) ::pause();
  }
  char had = '0';
  REQUIRE(::read(ready[0], &had, 1) == 1);
  CHECK(had == '1');
  CHECK_FALSE(take(1).has_value());
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  CHECK(take(1).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("users of cells are none that Debian or systemd give to anybody") {
  const std::optional<Users> users = users_for_cells();
  if (!users) SKIP("this process cannot become another user");
  const auto apart = [&](unsigned first, unsigned last) {
    return users->first + users->count <= first || users->first > last;
  };
  CHECK(apart(0, 60'000));               // people and services
  CHECK(apart(60'001, 60'577));          // systemd-homed, and host users in containers
  CHECK(apart(61'184, 65'535));          // systemd's dynamic services, nobody
  CHECK(apart(100'000, 600'100'000));    // useradd's ranges for containers
  CHECK(apart(524'288, 1'879'048'191));  // systemd-nspawn's
  CHECK(user_of_cells() >= users->first);
  CHECK(user_of_cells() < users->first + users->count);
  CHECK(user_of_cells() == user_of_cells());
}

TEST_CASE("two processes that bind themselves have no core in common") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  if (usable_cores() < 2) SKIP("there is one core");
  std::set<int> cores;
  std::vector<std::pair<pid_t, int>> bound;
  for (int i = 0; i < 2; ++i) {
    int told[2];
    REQUIRE(::pipe(told) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      bind_to_cores(1);
      cpu_set_t mine;
      int core = -1;
      if (::sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == 1)
        for (core = 0; !CPU_ISSET(core, &mine);) ++core;
      (void)!::write(told[1], &core, sizeof core);
      for (;;) ::pause();
    }
    ::close(told[1]);
    bound.emplace_back(child, told[0]);
  }
  for (const auto& [child, told] : bound) {
    int core = -1;
    CHECK(::read(told, &core, sizeof core) == sizeof core);
    CHECK(core >= 0);
    cores.insert(core);
  }
  CHECK(cores.size() == 2);
  for (const auto& [child, told] : bound) {
    ::close(told);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}
