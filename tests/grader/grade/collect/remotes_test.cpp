// Git remotes: which are fetched, and that nobody reads a token of one.
#include "grader/grade/collect/remotes.h"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/grade/collect/submissions.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
namespace fs = std::filesystem;

namespace {

/// A class of repositories on this machine.
struct Repositories {
  sample::Tree tree;
  Course course;
  Grading grading;

  Repositories() {
    if (capture({"git", "--version"}).status.code == 127) SKIP("git is not installed");
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
    grading.project.root = tree.project.root;
    grading.project.build = LADDER_BUILD_DIR;
    grading.work = tree.project.root / "work";
    grading.sandboxed = why_no_sandbox(grading).empty();
  }
  fs::path path(const std::string& name) const { return tree.project.root / "git" / name; }
  void git(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), {"git", "-C", path(name), "-c", "user.name=a", "-c", "user.email=a@b"});
    const Captured done = capture(words);
    INFO(done.output);
    REQUIRE(done.status.ok());
  }
  void make(const std::string& name, const std::string& contents = "// mine\n") const {
    write_file(path(name) / "09" / "1_serial.cu", contents);
    git(name, {"init", "-q"});
    git(name, {"add", "-A"});
    git(name, {"commit", "-qm", "m"});
  }
  std::vector<Submission> read(const std::string& list) const {
    write_file(tree.project.root / "list.txt", list);
    return collect(grading, course, tree.project.root / "list.txt");
  }
};

}  // namespace

TEST_CASE("passwords and tokens of remotes stay out of results") {
  CHECK(without_secrets("https://token@host/a.git") == "https://host/a.git");
  CHECK(without_secrets("http://me:pass@word@host:8/a@b") == "http://host:8/a@b");
  CHECK(without_secrets("ssh://git:pass@host/a") == "ssh://git@host/a");
  CHECK(without_secrets("ssh://token@host/a") == "ssh://host/a");
  CHECK(without_secrets("token@host:a/b.git") == "host:a/b.git");
  CHECK(without_secrets("https://host/a.git?access_token=abc") == "https://host/a.git");
  CHECK(without_secrets("https://host/a.git#private_token=abc") == "https://host/a.git");
  CHECK(without_secrets("https://abc:x-oauth-basic@host/a.git") == "https://host/a.git");
  CHECK(without_secrets("https://oauth2:abc@host/a.git") == "https://host/a.git");
  CHECK(without_secrets("https://me:ab%2Fc%40d@host/a.git") == "https://host/a.git");
  CHECK(without_secrets("https://me%3Aabc%40host/a.git") == "https://host/a.git");
  CHECK(without_secrets("https://me:a/b?c#d@host/a.git") == "https://host/a.git");
  for (const char* plain : {"git@host:a/b.git", "ssh://git@host:22/a", "file:///a@b", "/a/b", "https://host",
                            "https://host:8443/@a/b", "host:a@b/c", "./a@b:c"})
    CHECK(without_secrets(plain) == plain);
}

TEST_CASE("a program's words about a remote lose its secrets, however they are written") {
  const std::string remote = "https://me:s3cr%2Ft@host/a.git?private_token=t0ken";
  const std::string said = scrubbed(
      "cannot open 'https://me:s3cr%2Ft@host/a.git?private_token=t0ken' with s3cr/t, s3cr%2Ft and t0ken",
      remote);
  CHECK(said.starts_with("cannot open 'https://host/a.git'"));
  for (const char* secret : {"s3cr", "t0ken", "%2F"}) CHECK(said.find(secret) == std::string::npos);
  CHECK(scrubbed("git@host said no", "git@host:a") == "git@host said no");
}

TEST_CASE("only https, ssh and paths are fetched") {
  for (const char* good :
       {"https://host/a", "ssh://git@host/a", "git@host:a", "host:a/b", "/nowhere", "a/b", "file:///x"})
    CHECK(why_not_fetched(good).empty());
  for (const char* bad : {"ext::sh -c touch% /tmp/x", "fd::17", "http://host/a", "git://host/a",
                          "ftp://host/a", "foo::https://host/a", "--upload-pack=touch", "HTTP://host/a"})
    CHECK_FALSE(why_not_fetched(bad).empty());
}

TEST_CASE("a remote that is a command is not run, and the others are read") {
  const Repositories r;
  r.make("honest");
  const fs::path mark = r.tree.project.root / "touched";
  const std::vector<Submission> all =
      r.read("honest " + r.path("honest").string() + "\nmallory ext::touch%20" + mark.string() +
             "\nmadge --upload-pack=touch%20" + mark.string() + "\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].files.size() == 1);
  CHECK(all[0].problem.empty());
  for (const int other : {1, 2})
    CHECK(all[static_cast<std::size_t>(other)].problem.find("is not fetched") != std::string::npos);
  CHECK_FALSE(fs::exists(mark));
  CHECK((!fs::exists(r.grading.work / "git") ||
         fs::is_empty(r.grading.work / "git")));  // what was fetched, with its remote
}

TEST_CASE("a repository that borrows from another one is not fetched") {
  const Repositories r;
  r.make("victim", "// secret\n");
  fs::create_directories(r.path("linked"));
  write_file(r.path("linked") / ".git", "gitdir: " + r.path("victim").string() + "/.git\n");
  REQUIRE(capture({"git", "clone", "-q", "--shared", r.path("victim"), r.path("borrows")}).status.ok());
  const std::vector<Submission> all =
      r.read("linked " + r.path("linked").string() + "\nborrows file://" + r.path("borrows").string() + "\n");
  REQUIRE(all.size() == 2);
  for (const Submission& one : all) {
    CHECK(one.files.empty());
    CHECK(one.problem.find("is not fetched") != std::string::npos);
  }
}

TEST_CASE("a repository with a name of 100,000 characters costs its student that file") {
  const Repositories r;
  r.make("honest");
  r.make("mallory");
  const std::string name(100'000, 'a');
  write_file(r.tree.project.root / "script",
             "cd \"$1\" && blob=$(git rev-parse HEAD:09/1_serial.cu) && tree=$({ git ls-tree HEAD; printf "
             "'100644 blob "
             "%s\\t" +
                 name +
                 ".cu\\n' $blob; } | git mktree) && "
                 "commit=$(git -c user.name=a -c user.email=a@b commit-tree -m m $tree) && "
                 "git update-ref HEAD $commit");
  const Captured made = capture({"sh", r.tree.project.root / "script", r.path("mallory")});
  INFO(made.output.substr(0, 500));
  REQUIRE(made.status.ok());
  const std::vector<Submission> all =
      r.read("mallory " + r.path("mallory").string() + "\nhonest " + r.path("honest").string() + "\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].files.size() == 1);
  REQUIRE(all[0].ignored.size() == 1);
  CHECK(all[0].ignored[0].why == "its path is longer than file systems take");
  CHECK(all[0].ignored[0].path.size() < 400);
  CHECK(all[1].files.size() == 1);
}
