// Which part of the tree of control groups is a grading's to divide, and what a cell's group does to a cell.
#include "grader/grade/sandbox/control_group.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/grader/grade/class_folder.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// A folder that looks like a machine's /proc/self and tree of groups.
struct Machine {
  TemporaryFolder folder{fs::temp_directory_path() / "ladder-groups"};
  fs::path proc = folder.path() / "proc", tree = folder.path() / "tree";

  /// A process in the group @p path of version 2, whose tree is mounted from @p root on.
  explicit Machine(const std::string& path, const std::string& root = "/") {
    write_file(proc / "cgroup", "4:memory:/elsewhere\n0::" + path + "\n");
    write_file(proc / "mountinfo",
               "31 23 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
               "30 23 0:26 " +
                   root + " " + tree.string() + " rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  /// A group with files as the kernel makes them.
  void group(const std::string& path, const std::string& controllers, const std::string& processes = "1\n") {
    write_file(tree / path / "cgroup.type", "domain\n");
    write_file(tree / path / "cgroup.controllers", controllers);
    write_file(tree / path / "cgroup.subtree_control", "");
    write_file(tree / path / "cgroup.procs", processes);
  }
  Delegated found() const { return find_delegated(proc); }
};

}  // namespace

TEST_CASE("a process's own group is found below the mount, and what it can hand down") {
  Machine machine("/user.slice/grading.scope");
  machine.group("user.slice/grading.scope", "cpuset cpu io memory pids\n");
  const Delegated found = machine.found();
  CHECK(found.why_not.empty());
  CHECK(found.base == machine.tree / "user.slice/grading.scope");
  CHECK(found.controllers == Words{"pids", "memory", "cpu"});

  machine.group("user.slice/grading.scope", "memory\n");
  CHECK(machine.found().controllers == Words{"memory"});
  machine.group("user.slice/grading.scope", "cpuset io\n");
  CHECK_THAT(machine.found().why_not, ContainsSubstring("none of the controllers"));
}

TEST_CASE("a container's mount shows a part of the tree only") {
  Machine machine("/docker/a/b", "/docker/a");
  machine.group("b", "pids\n");
  CHECK(machine.found().base == machine.tree / "b");
  const Machine outside("/docker/other", "/docker/a");
  CHECK_FALSE(outside.found().why_not.empty());
}

TEST_CASE("what grade starts is in the judge's group, and divides the group above that") {
  Machine machine("/g/ladder-judge");
  machine.group("g", "pids cpu\n", "");
  machine.group("g/ladder-judge", "pids cpu\n", "1\n2\n3\n");
  const Delegated found = machine.found();
  CHECK(found.why_not.empty());
  CHECK(found.base == machine.tree / "g");
}

TEST_CASE("a group with other programs in it cannot be divided, but for the tree's root") {
  Machine machine("/");
  machine.group("", "pids\n", "1\n2\n");
  CHECK_THAT(machine.found().why_not, ContainsSubstring("other programs"));
  fs::remove(machine.tree / "cgroup.type");
  CHECK(machine.found().why_not.empty());
}

TEST_CASE("what cannot be written is not ours, and version 1 is not looked at") {
  Machine machine("/g");
  machine.group("g", "pids\n");
  fs::remove(machine.tree / "g/cgroup.subtree_control");
  const Delegated found = machine.found();
  CHECK_THAT(found.why_not, ContainsSubstring("not ours"));
  CHECK(ControlGroup(found).enter(1, 1).empty());
  CHECK_FALSE(ControlGroup(found).has("pids"));

  write_file(machine.proc / "mountinfo", "31 23 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
  CHECK_THAT(machine.found().why_not, ContainsSubstring("version 2"));
}

TEST_CASE("a cell's group bounds its processes and its memory, and is gone with the grading") {
  fs::path base;
  const auto groups = [&] {
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(base))
      count += entry.path().filename().string().starts_with("ladder-" + std::to_string(::getpid()));
    return count;
  };
  {
    const Delegated found = find_delegated("/proc/self");
    const ControlGroup group(found);
    if (!group.why_not().empty()) SKIP("no control groups are delegated here: " << group.why_not());
    base = found.base;
    const auto in_cell = [&](const std::string& script) {
      Words words = group.enter(4, 64);
      words.insert(words.end(), {"sh", "-c", script});
      return capture(words);
    };
    CHECK_THAT(in_cell("cat /proc/self/cgroup").output, ContainsSubstring("/cell-"));
    CHECK(groups() == 1);
    if (group.has("pids")) {
      CHECK(in_cell("for i in 1 2 3; do sleep 0.1 & done; wait").status.ok());
      CHECK_FALSE(in_cell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do sleep 3 & done; wait").status.ok());
    }
    if (group.has("memory")) {
      CHECK(in_cell("head -c 20000000 /dev/zero | tail -c 10000000 >/dev/null").status.ok());
      CHECK_FALSE(in_cell("dd if=/dev/zero of=/dev/null bs=200M count=1").status.ok());
    }
    if (group.has("cpu"))
      CHECK(in_cell("cd " + base.string() + " && cat */cell-$$/cpu.weight").output == "100\n");
  }
  CHECK(groups() == 0);
}

TEST_CASE("what a killed grading left goes with the next") {
  const Delegated found = find_delegated("/proc/self");
  if (!ControlGroup(found).why_not().empty()) SKIP("no control groups are delegated here");
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const fs::path left = found.base / ("ladder-" + std::to_string(ended));
  fs::create_directories(left / "cell-1");
  const ControlGroup next(found);
  CHECK_FALSE(fs::exists(left));
}
