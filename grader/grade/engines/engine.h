// Gets units done: on this machine, or as an array job on a cluster.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "grader/grade/engines/grading.h"

namespace ladder::cli::grade {

struct EngineProgress {
  std::size_t done = 0, total = 0, running = 0;
  double seconds = 0;  ///< since the beginning
  std::string note;    ///< a sentence to keep, such as of a unit that is tried again; usually empty
};
using ProgressSink = std::function<void(const EngineProgress&)>;

inline constexpr int kTries = 3;  ///< of a unit whose process ends without a result

/// A result for a unit that could not be judged: every rung gets `harness_failed` and the reason. Nobody's
/// work is lost for it, but a person has to look.
void give_up(const Grading& grading, const std::string& key, const std::string& reason);

/// One line in OUT/.work/journal.jsonl, written in one piece.
void note_done(const Grading& grading, const std::string& key);

/// Runs units as processes of this program. Returns when each has a result.
/// @param jobs  at the same time
/// @throws Failure (interrupted), after all processes were ended
void run_local(const Grading& grading, const std::vector<std::string>& keys, int jobs,
               const ProgressSink& progress);

struct SlurmOptions {
  std::string partition;  ///< empty: the cluster's default
  std::string gres;       ///< "gpu:1"; empty: what gpu_of_cluster() says where a GPU is wanted
  std::string time = "01:00:00";
  int units_per_task = 8;
  int file_seconds = 60;  ///< after a task's end until its results are given up: NFS shows new files late
  std::vector<std::string> more;  ///< further options of sbatch
};

/// What a task asks of Slurm for a GPU.
/// @param partition  empty: the cluster's default
/// @return "gpu:1" where some node of the partition has GPUs as a generic resource, else nothing
std::string gpu_of_cluster(const std::string& partition);

/// Runs units as array jobs, `units_per_task` in a row in each task. Tasks that end without their results are
/// handed in again. The work folder has to lie where the nodes see it. Killed and started again, it waits for
/// the job it left.
/// @throws Failure (environment) where there is no Slurm, Failure (interrupted) after the job was cancelled
void run_slurm(const Grading& grading, const std::vector<std::string>& keys, const SlurmOptions& options,
               const ProgressSink& progress);

}  // namespace ladder::cli::grade
