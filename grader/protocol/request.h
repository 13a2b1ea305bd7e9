// What a runner is asked to do: made by `ladder`, written as the runner's command line, read by the judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/protocol/worker_command.h"

namespace ladder {

/// A module to judge: a rung, or a baseline.
struct RungSpec {
  std::string name;
  std::string module;
  int needs_major = 0, needs_minor = 0;  ///< least compute capability; 0: any
  bool exactly = false;                  ///< and no other: its instructions are no newer GPU's

  /// @param capability  "8.0", or "9.0a": exactly 9.0; empty: any
  /// @throws std::invalid_argument
  static RungSpec of(std::string name, std::string module, const std::string& capability = {});
  /// "NAME=MODULE", "NAME=MODULE@8.0" or "NAME=MODULE@9.0a".
  std::string text() const;
  /// Reads what text() writes. @throws std::invalid_argument
  static RungSpec parse(const std::string& text);
};

/// What a rung's process may take.
struct WorkerLimits {
  double start_seconds = 60;     ///< for creating the device's context and loading the module
  double call_seconds = 20;      ///< for one answer
  double rung_seconds = 0;       ///< for all answers of a rung together; 0: no such limit
  double end_seconds = 0;        ///< for ending by itself when the talk is over; 0: it is killed at once
  std::size_t memory_mb = 4096;  ///< held, in MiB, beyond the shared arrays
  WorkerCommand command;         ///< what the process is started with; memory is then that of its whole tree
};

/// How a rung's process and its simulator are started.
struct ApartOptions {
  bool apart = false;                              ///< whether they are two processes
  WorkerCommand simulator_command;                 ///< what the simulator's process is started with
  TimingScope timing_scope = TimingScope::device;  ///< of the lesson, whose judge fills it in
  int devices = 1;                                 ///< likewise: GPUs that it wants
  /// The words that tell either process how many devices a simulator in it is to have.
  std::vector<std::string> devices_words() const {
    return devices > 1 ? std::vector<std::string>{"--devices", std::to_string(devices)}
                       : std::vector<std::string>();
  }
};

/// A run of some rungs of a lesson. grader/judge/README.md says what each member does.
struct RunRequest {
  std::string lesson_path;  ///< the lesson's plugin
  std::string lesson_name;
  std::vector<RungSpec> rungs;
  std::vector<RungSpec> baselines;
  bool check_only = false;
  bool quick = false;                 ///< leave out large check cases
  int hidden = 0;                     ///< further check cases of secret sizes
  std::optional<std::uint64_t> seed;  ///< of the cases; without one the judge draws it
  WorkerLimits limits;
  ApartOptions apart;
  std::string peaks_file;    ///< empty: not kept
  std::string peaks_module;  ///< empty: device memory's peaks stay unknown
};

/// One option of a runner's command line. Both directions go through it: what a request says, and what it is
/// to say.
struct RequestOption {
  std::string name;   ///< "--lesson"
  std::string value;  ///< what stands for the value in a help text; empty: a flag
  std::string help;
  bool repeated = false;
  /// The values that say what the request does, for a flag "": none where that is the default.
  std::function<std::vector<std::string>(const RunRequest&)> write;
  /// Takes one value. @throws std::invalid_argument
  std::function<void(RunRequest&, const std::string&)> read;
};

/// All options, in the order in which they are written.
const std::vector<RequestOption>& request_options();

/// The request as the words of a command line, without the program.
std::vector<std::string> to_words(const RunRequest& request);

}  // namespace ladder
