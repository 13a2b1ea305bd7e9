// The Slurm engine against a real Slurm: a cluster of this
// machine alone, started and stopped by slurm/cluster.sh.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/grade/engines/engine.h"
#include "tests/grader/grade/class_generator.h"

using namespace grading;
using ladder::cli::capture;
using ladder::cli::write_file;

namespace {

const std::vector<Homework> kHomeworkOfCluster = {{"03_rgb_to_gray", {"1_one_row"}}};
constexpr const char* kPolicyOfCluster =
    "lessons = [\"03\"]\ncases = \"quick\"\ndevice = \"sim\"\n[limits]\ncall_seconds = 4\n";

/// As many as the environment says, or few: a hundred take minutes.
int students() {
  const char* wish = ::getenv("LADDER_SLURM_STUDENTS");
  return wish != nullptr ? std::atoi(wish) : 6;
}

class RealCluster {
 public:
  fs::path folder;
  std::string why_not;

  RealCluster() {
    std::string name = (fs::temp_directory_path() / "ladder-slurm-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder = name;
    const ladder::cli::Captured started = capture({script(), "start", name});
    if (!started.status.ok()) why_not = started.output;
    ::setenv("SLURM_CONF", (folder / "slurm.conf").c_str(), 1);
    write_file(folder / "policy.toml", kPolicyOfCluster);
  }
  RealCluster(const RealCluster&) = delete;
  RealCluster& operator=(const RealCluster&) = delete;
  ~RealCluster() {
    capture({"scancel", "--user=root"});
    capture({script(), "stop", folder});
    ::usleep(300'000);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  std::vector<std::string> command() const {
    return {"grade",
            folder / "class",
            "--out",
            folder / "out",
            "--policy",
            folder / "policy.toml",
            "--engine",
            "slurm",
            "--units-per-task",
            "2",
            "--file-seconds",
            "4"};
  }

 private:
  static std::string script() { return std::string(LADDER_TEST_DATA) + "/engines/slurm/cluster.sh"; }
};

/// Waits for @p test, at most @p seconds.
template <class Test>
bool wait_for(Test test, int seconds = 120) {
  for (int tenth = 0; tenth < 10 * seconds; ++tenth) {
    if (test()) return true;
    ::usleep(100'000);
  }
  return false;
}

bool job_runs() { return capture({"squeue", "-h", "-t", "RUNNING"}).output.size() > 1; }

}  // namespace

TEST_CASE("a class is graded by array jobs of a real Slurm") {
  const RealCluster cluster;
  if (!cluster.why_not.empty()) SKIP(cluster.why_not);
  make_class(cluster.folder / "class", students(), kHomeworkOfCluster);
  const Graded graded = run_ladder(cluster.command());
  if (const std::string reason = why_no_sandbox(graded); !reason.empty()) SKIP(reason);
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  CHECK(graded.has("handed in job "));
  CHECK(difference(cluster.folder / "out", students(), kHomeworkOfCluster) == "");
  CHECK(done_twice(cluster.folder / "out") == 0);
}

TEST_CASE("tasks ask Slurm for the partition and the GPU that the command names") {
  const RealCluster cluster;
  if (!cluster.why_not.empty()) SKIP(cluster.why_not);
  make_class(cluster.folder / "class", 2, kHomeworkOfCluster);
  std::vector<std::string> command = cluster.command();
  command.insert(command.end(), {"--partition", "teaching", "--gres", "gpu:1"});
  std::string asked;
  Background grading(command);
  const auto job_is_there = [&] {
    asked = capture({"squeue", "--noheader", "--format=%P %b"}).output;
    return asked.find("teaching") != std::string::npos;
  };
  if (!wait_for(job_is_there, 30))
    if (const std::string reason = why_no_sandbox(run_ladder(command)); !reason.empty()) SKIP(reason);
  CHECK(asked.starts_with("teaching gres:gpu:1"));
  const fs::path result = cluster.folder / "out" / "class.json";
  CHECK(wait_for([&] { return fs::exists(result); }));
  CHECK(difference(cluster.folder / "out", 2, kHomeworkOfCluster) == "");
}

TEST_CASE("a cluster is asked whether a partition has GPUs") {
  const RealCluster cluster;
  if (!cluster.why_not.empty()) SKIP(cluster.why_not);
  CHECK(ladder::cli::grade::gpu_of_cluster("") == "gpu:1");
  CHECK(ladder::cli::grade::gpu_of_cluster("teaching") == "gpu:1");
  CHECK(ladder::cli::grade::gpu_of_cluster("teach") == "");
}

TEST_CASE(
    "tasks of Slurm that are lost are handed in again, and a killed grading waits for the job it left") {
  const RealCluster cluster;
  if (!cluster.why_not.empty()) SKIP(cluster.why_not);
  make_class(cluster.folder / "class", 6, kHomeworkOfCluster);
  {
    Background first(cluster.command());
    if (!wait_for(job_runs, 30)) {
      const Graded graded = run_ladder(cluster.command());
      if (const std::string reason = why_no_sandbox(graded); !reason.empty()) SKIP(reason);
    }
    first.end(SIGKILL);
  }
  // The job goes on without us; one of its tasks is lost.
  const std::string job = ladder::cli::read_file(cluster.folder / "out" / ".work" / "slurm" / "job");
  capture({"scancel", "--signal=KILL", "--full", job.substr(0, job.find('\n')) + "_1"});
  const Graded graded = run_ladder(cluster.command());
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  CHECK(difference(cluster.folder / "out", 6, kHomeworkOfCluster) == "");
  CHECK(done_twice(cluster.folder / "out") == 0);
  CHECK_FALSE(fs::exists(cluster.folder / "out" / ".work" / "slurm" / "job"));
}
