// The Slurm engine where files show late, as on NFS: with a Slurm of three lines, whose job writes its result
// after it has ended.
#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/grade/engines/engine.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
namespace fs = std::filesystem;

namespace {

/// A work folder with one unit, and sbatch, squeue and scancel of our own in front of PATH.
struct Cluster {
  sample::Tree tree;
  Grading grading;
  std::string path = ::getenv("PATH");

  /// @param job  what goes on after sbatch has answered
  explicit Cluster(const std::string& job) {
    grading.project = tree.project;
    grading.work = tree.project.root / "work";
    save_unit(grading, {"key", "09_reduction", {{"1_serial", "hash"}}});
    fs::create_directories(grading.result_file("key").parent_path());
    // It answers when the job is in a session of its own: what is left of sbatch's own group dies with it.
    const std::string begun = (tree.project.root / "begun").string();
    program("sbatch", "[ \"$1\" = --version ] && exit 0; echo x >>" + handed_in().string() + "; RESULT=" +
                          grading.result_file("key").string() + " setsid sh -c 'touch " + begun + "; " + job +
                          "' >/dev/null 2>&1 & until [ -e " + begun + " ]; do sleep 0.01; done; echo 17");
    program("squeue", "exit 0");
    program("scancel", "exit 0");
    ::setenv("PATH", ((tree.project.root / "tools").string() + ":" + path).c_str(), 1);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() { ::setenv("PATH", path.c_str(), 1); }

  fs::path handed_in() const { return tree.project.root / "handed_in"; }
  std::size_t jobs() const { return split_lines(read_file(handed_in())).size(); }
  std::string result() const { return read_file(grading.result_file("key")); }

 private:
  void program(const std::string& name, const std::string& text) const {
    const fs::path file = tree.project.root / "tools" / name;
    write_file(file, "#!/bin/sh\n" + text + "\n");
    ::chmod(file.c_str(), 0755);
  }
};

}  // namespace

TEST_CASE("a result that shows late is waited for, and its task is not handed in again") {
  const Cluster cluster("sleep 4; echo good >$RESULT");
  SlurmOptions options;
  options.file_seconds = 20;
  run_slurm(cluster.grading, {"key"}, options, [](const EngineProgress&) {});
  CHECK(cluster.result() == "good\n");
  CHECK(cluster.jobs() == 1);
}

TEST_CASE("a verdict that comes after all is not written over when a unit is given up") {
  const Cluster cluster("true");
  write_file(cluster.grading.result_file("key"), "good\n");
  give_up(cluster.grading, "key", "nobody saw it");
  CHECK(cluster.result() == "good\n");
}
