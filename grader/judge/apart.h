// A rung's process whose simulator is another process, out of its reach.
#pragma once

#include "grader/judge/remote_worker.h"

namespace ladder {

/// To whoever talks to it, one process: arrays on the device, findings, counters and times are the
/// simulator's, everything else is the rung's. What the rung's process says can fail it, and not pass it.
class ApartWorker final : public RemoteWorker {
 public:
  /// Starts both. @throws std::system_error, std::runtime_error when the simulator does not start
  static std::unique_ptr<ApartWorker> start(const std::vector<std::string>& arguments,
                                            const std::string& module, const WorkerLimits& limits,
                                            const ApartOptions& options, TimeLimit& time);

  std::variant<nlohmann::json, Ending> call(const nlohmann::json& message, std::span<const int> fds = {},
                                            std::size_t shared_bytes = 0) override;
  void loaded() override;
  std::string printed() const override;
  std::size_t printed_bytes() const override;

 private:
  struct Shared;
  ApartWorker(std::unique_ptr<Shared> shared, std::unique_ptr<RemoteWorker> simulator,
              const std::vector<std::string>& arguments, const std::string& module,
              const WorkerLimits& limits, bool host_clock, TimeLimit& time);
  std::variant<nlohmann::json, Ending> begin_case(const nlohmann::json& message, std::span<const int> fds,
                                                  std::size_t shared_bytes);
  /// @param begin   how the simulator is to begin
  /// @param poison  of the outputs on the host
  std::variant<nlohmann::json, Ending> run(const nlohmann::json& begin, int poison, bool download);
  std::unique_ptr<RemoteWorker> simulator_;
  bool host_clock_;
};

}  // namespace ladder
