// Units as array jobs of Slurm. Everything a task needs lies in the work folder; everything it says is a
// result there.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <sstream>

#include "grader/grade/engines/engine.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLooksEverySeconds = 2;
constexpr std::size_t kMostTasks = 1000;  // of one job: what clusters allow without special settings

std::string word_of(const std::string& text) { return text.substr(0, text.find_first_of("; \n")); }

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error; at.increment(error))
    names.insert(at->path().filename());
  return names;
}

/// Puts single quotes around a word for the shell.
std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

class Array {
 public:
  Array(const Grading& grading, const SlurmOptions& options)
      : grading_(grading), options_(options), folder_(grading.work / "slurm") {
    if (capture({"sbatch", "--version"}).status.code == 127)
      throw Failure(ExitCode::environment, "sbatch was not found: this machine hands in no jobs to Slurm");
    fs::create_directories(folder_);
  }

  /// The job that an earlier grading left, if the cluster still knows it and has not finished it.
  bool adopt() {
    if (!fs::exists(job_file())) return false;
    job_ = word_of(read_file(job_file()));
    return is_alive();
  }

  /// Hands in the units as one array job.
  void submit(const std::vector<std::string>& keys) {
    std::string tasks;
    std::size_t count = 0;
    const auto per_task = static_cast<std::size_t>(
        std::max(options_.units_per_task, static_cast<int>((keys.size() + kMostTasks - 1) / kMostTasks)));
    for (std::size_t begin = 0; begin < keys.size(); begin += per_task, ++count) {
      for (std::size_t i = begin; i < std::min(begin + per_task, keys.size()); ++i) tasks += keys[i] + " ";
      tasks += "\n";
    }
    write_file(folder_ / "tasks", tasks);
    write_file(folder_ / "task.sh", script());
    std::vector<std::string> words = {"sbatch",
                                      "--parsable",
                                      "--job-name=ladder-grade",
                                      fmt::format("--array=1-{}", count),
                                      "--time=" + options_.time,
                                      "--output=" + (folder_ / "%A_%a.log").string(),
                                      "--chdir=" + folder_.string(),
                                      "--requeue",
                                      "--open-mode=append"};
    if (!options_.partition.empty()) words.push_back("--partition=" + options_.partition);
    if (!options_.gres.empty()) words.push_back("--gres=" + options_.gres);
    words.insert(words.end(), options_.more.begin(), options_.more.end());
    words.push_back((folder_ / "task.sh").string());
    const Captured handed_in = capture(words);
    if (!handed_in.status.ok())
      throw Failure(ExitCode::environment, "sbatch refused the job: " + handed_in.output.substr(0, 400));
    job_ = word_of(handed_in.output);
    write_file(job_file(), job_ + "\n");
  }

  /// Whether some task of the job waits or runs. Where the controller does not answer, it is taken to be
  /// alive.
  bool is_alive() {
    const Captured queue = capture({"squeue", "--noheader", "--format=%T", "--jobs=" + job_});
    if (queue.status.ok()) return queue.output.find_first_not_of(" \n") != std::string::npos;
    return queue.output.find("Invalid job id") == std::string::npos;
  }

  std::size_t running() const {
    const Captured queue =
        capture({"squeue", "--noheader", "--array", "--format=%T", "--states=RUNNING", "--jobs=" + job_});
    return static_cast<std::size_t>(std::count(queue.output.begin(), queue.output.end(), '\n'));
  }

  void cancel() {
    if (!job_.empty()) capture({"scancel", job_});
    forget();
  }
  void forget() {
    std::error_code ignored;
    fs::remove(job_file(), ignored);
  }
  const std::string& job() const { return job_; }

 private:
  fs::path job_file() const { return folder_ / "job"; }

  /// A task grades the units of its line.
  std::string script() const {
    return fmt::format(
        "#!/bin/sh\n"
        "# Made by ladder grade: task N grades the units of line N of the file `tasks`.\n"
        "export LADDER_ROOT={} LADDER_BUILD_DIR={}\n"
        "keys=$(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" tasks)\n"
        "# shellcheck disable=SC2086  # one word a unit\n"
        "exec {} grade-unit {} $keys\n",
        quoted(grading_.project.root.string()), quoted(grading_.project.build.string()),
        quoted(grading_.project.binary("ladder").string()), quoted(grading_.work.string()));
  }

  const Grading& grading_;
  const SlurmOptions& options_;
  fs::path folder_;
  std::string job_;
};

}  // namespace

std::string gpu_of_cluster(const std::string& partition) {
  // A line a group of nodes, "*" behind the default partition's name: "teaching* gpu:h200:4(S:0-1),shard:8".
  std::istringstream lines(capture({"sinfo", "--noheader", "--format=%P %G"}).output);
  for (std::string name, resources; lines >> name >> resources;) {
    const bool ours = partition.empty() ? name.ends_with('*') : name == partition || name == partition + "*";
    if (ours && ("," + resources).find(",gpu:") != std::string::npos) return "gpu:1";
  }
  return {};
}

void run_slurm(const Grading& grading, const std::vector<std::string>& keys, const SlurmOptions& options,
               const ProgressSink& progress) {
  Array array(grading, options);
  const auto begin = Clock::now();
  std::vector<std::string> left = keys;
  std::size_t done = 0;
  // What another node wrote shows in a listing sooner than in a lookup: that something is not there is
  // remembered.
  const auto look = [&](bool note) {
    const std::set<std::string> there = names_in(grading.result_file("x").parent_path());
    std::erase_if(left, [&](const std::string& key) {
      if (!there.contains(grading.result_file(key).filename())) return false;
      if (note) note_done(grading, key);
      ++done;
      return true;
    });
  };
  const auto tell = [&](std::size_t running, const std::string& note) {
    progress({done, keys.size(), running, std::chrono::duration<double>(Clock::now() - begin).count(), note});
  };
  look(false);
  tell(0, {});
  try {
    for (int tries = 0; !left.empty(); ++tries) {
      if (tries == 0 && array.adopt()) {
        tell(0, "the cluster still works at job " + array.job() + " of an earlier call");
      } else if (tries >= kTries) {
        for (const std::string& key : left)
          give_up(grading, key, fmt::format("{} tasks ended without a result", kTries));
        look(true);
        break;
      } else {
        array.submit(left);
        tell(0, fmt::format("handed in job {}: {} units{}", array.job(), left.size(),
                            tries > 0 ? " that earlier tasks left without a result" : ""));
      }
      const auto wait = [&] {
        capture({"sleep", std::to_string(kLooksEverySeconds)});  // Ctrl-C is heard meanwhile
        look(true);
      };
      while (!left.empty() && array.is_alive()) {
        wait();
        tell(array.running(), {});
      }
      look(true);
      // A task that is handed in again because its result does not show yet would be done twice.
      for (const auto end = Clock::now() + std::chrono::seconds(options.file_seconds);
           !left.empty() && Clock::now() < end;)
        wait();
    }
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::interrupted) array.cancel();
    throw;
  }
  array.forget();
  tell(0, {});
}

}  // namespace ladder::cli::grade
