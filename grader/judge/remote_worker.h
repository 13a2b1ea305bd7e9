// The judge's hold on one rung's process: start it, talk to it within limits, say how it ended.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "grader/judge/time_limit.h"
#include "grader/lesson/shared_bytes.h"
#include "grader/platform/process/subprocess.h"
#include "grader/platform/process/unique_fd.h"
#include "grader/protocol/channel.h"
#include "grader/protocol/protocol.h"
#include "grader/protocol/request.h"

namespace ladder {

/// How a rung's process ended, other than by answering.
struct Ending {
  enum class How { signal, exit, timeout, memory, broken_channel };
  How how = How::exit;
  int number = 0;         ///< signal number, or exit status
  double seconds = 0;     ///< limit that was passed (timeout)
  std::size_t bytes = 0;  ///< memory the process held (memory)
  LastWords words{};      ///< what it left behind; strings terminated, counts bounded
};

/// A `--worker` process. Its process group dies with this object, after limits.end_seconds at most.
class RemoteWorker {
 public:
  /// Starts the process; does not wait for it.
  /// @param arguments  after the program's name
  /// @param module     the rung's, for the limits' command; empty for a probe
  /// @param time       that the whole rung has; outlives this
  /// @throws std::runtime_error
  /// @param program    to start where the limits give no command; empty: this one
  /// @param inherited  descriptors that the process finds behind kLastWordsFd
  RemoteWorker(const std::vector<std::string>& arguments, const std::string& module,
               const WorkerLimits& limits, TimeLimit& time, const std::string& program = {},
               std::span<const int> inherited = {});
  virtual ~RemoteWorker();
  RemoteWorker(const RemoteWorker&) = delete;
  RemoteWorker& operator=(const RemoteWorker&) = delete;

  /// The next message, at most @p seconds from now, of which not all may count: TimeLimit.
  std::variant<nlohmann::json, Ending> receive(double seconds);
  /// Sends @p message with descriptors and waits for the answer.
  /// @param shared_bytes  bytes of shared arrays, which do not count as the rung's memory
  virtual std::variant<nlohmann::json, Ending> call(const nlohmann::json& message,
                                                    std::span<const int> fds = {},
                                                    std::size_t shared_bytes = 0);

  /// While this one is waited for, the other is looked at as well: its end, or too much memory of it, ends
  /// the waiting.
  void wait_beside(RemoteWorker& other) { beside_ = &other; }
  /// How the other one ended while this one was waited for last, if it did.
  const std::optional<Ending>& beside_ended() const { return beside_ended_; }
  /// How the process ended, or was ended for the memory it holds, if it did.
  std::optional<Ending> look();

  /// Kills the process, from any thread; whoever talks to it finds that it has ended.
  void interrupt();

  bool alive() const { return process_ && process_->running(); }
  /// What the rung wrote to stdout and stderr, cut to kMostPrinted bytes.
  virtual std::string printed() const { return printed_; }
  /// Bytes it wrote altogether.
  virtual std::size_t printed_bytes() const { return printed_bytes_; }
  /// To be called when the rung has described its device and is loaded: from now on it is at work only when
  /// it is called.
  virtual void loaded() {}
  static constexpr std::size_t kMostPrinted = 4096;

 private:
  void drain_output();
  std::optional<Ending> look_for_end();
  std::optional<Ending> await_end(double seconds);
  Ending kill_as(Ending::How how);
  Ending ending_of(const ExitStatus& status) const;
  LastWords last_words() const;
  void kill_group();
  static void kill_strays();

  RemoteWorker* beside_ = nullptr;
  std::optional<Ending> beside_ended_;
  WorkerLimits limits_;
  TimeLimit& time_;
  std::optional<Subprocess> process_;
  std::optional<ProcessTree> tree_;  ///< of it
  std::optional<Channel> channel_;
  UniqueFd output_;  ///< none once every writer has closed it
  SharedBytes page_;
  std::string printed_;
  std::size_t printed_bytes_ = 0;
  std::size_t shared_bytes_ = 0;
};

}  // namespace ladder
