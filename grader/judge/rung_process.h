// One rung's dealings with the judge: its process, restarted when it is lost.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "grader/judge/cases/check_case.h"
#include "grader/judge/judge.h"

namespace ladder {

class RungProcess {
 public:
  /// The time that the rung has in all begins here.
  RungProcess(const RunRequest& options, const RungSpec& rung);

  const RungSpec& rung() const { return rung_; }
  /// Starts a process if there is none.
  /// @return passed, or why the rung cannot be run
  Explanation start();
  /// Runs a case with each of the poisons. Starts the process first where needed.
  /// @param sets  copies of the arrays, more than one for timing
  CaseResult run(PreparedCase& prepared, const std::vector<int>& poisons, int sets = 1);
  /// Only the run of that number, as the first that a fresh process does.
  CaseResult run_afresh(PreparedCase& prepared, const std::vector<int>& poisons, std::size_t number);
  /// The case that was run last, and passed, once more, with its arrays holding what those of @p other do.
  CaseResult run_with(PreparedCase& prepared, PreparedCase& other);
  /// The same case with calls that fail. Afterwards the process is gone: what is not given back on such a way
  /// out is not to be looked at.
  CaseResult run_failing(PreparedCase& prepared);
  /// Asks the running process; for timing.
  /// @param fds,shared_bytes  see RemoteWorker::call
  std::variant<nlohmann::json, Ending> call(const nlohmann::json& message, std::span<const int> fds = {},
                                            std::size_t shared_bytes = 0) {
    return worker_->call(message, fds, shared_bytes);
  }
  bool running() const { return worker_ != nullptr && worker_->alive(); }
  /// Frees the arrays of the case it is at.
  void release();
  void stop();
  /// Has it end, and never start again, whatever another thread is asking of it.
  void abort();

  /// Facts of the device, once a process has told them.
  const std::optional<DeviceInfo>& device() const { return device_; }
  /// There is no device: why not. Empty otherwise.
  const std::string& no_device() const { return no_device_; }
  /// The first lines that the rung's processes printed, with control characters made visible.
  std::vector<std::string> printed() const;

 private:
  // The steps of start(); each: @return passed, or why the rung cannot be run
  /// Starts a process, several times where the machine has no room for it, and gets its first message.
  Explanation start_worker(nlohmann::json& message);
  /// Takes the facts of the device from that, and sees whether it can run the rung.
  Explanation take_device(const nlohmann::json& message);
  /// Waits until the module is loaded.
  Explanation await_module();
  /// The worker's next message.
  Explanation hear(nlohmann::json& message, double seconds);

  CaseResult run_from(PreparedCase& prepared, const std::vector<int>& poisons, int sets, std::size_t from);
  void collect_output();
  void put(std::unique_ptr<RemoteWorker> worker);

  const RunRequest& options_;
  RungSpec rung_;
  TimeLimit time_;     ///< that it has from being made on
  std::mutex change_;  ///< of the worker for another one, or none
  std::atomic<bool> aborted_ = false;
  std::unique_ptr<RemoteWorker> worker_;
  std::optional<DeviceInfo> device_;
  std::string no_device_;
  std::string printed_;
  std::size_t printed_bytes_ = 0;
};

}  // namespace ladder
