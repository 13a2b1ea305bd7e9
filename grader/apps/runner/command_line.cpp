#include "grader/apps/runner/command_line.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "grader/judge/judge.h"
#include "grader/platform/process/signals.h"
#include "grader/worker/device.h"
#include "grader/worker/worker.h"

namespace ladder {
namespace {

constexpr const char* kUsage =
    "usage: --lesson LESSON.so --rung NAME=MODULE.so[@8.0] [--rung ...] [--baseline NAME=MODULE.so ...]\n"
    "       [--lesson-name NAME] [--check-only] [--cases quick|all] [--seed N] [--timeout SECONDS]\n"
    "       [--rung-seconds SECONDS] [--end-seconds SECONDS] [--hidden N] [--worker-command FILE] "
    "[--memory-mb N]\n"
    "       [--apart [--simulator-command FILE]]\n"
    "       [--peaks FILE] [--peaks-module FILE] [--result-fd FD]\n"
    "grader/judge/README.md says what each does and what comes out.\n";

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) throw std::runtime_error("no random seed to be had");
  return seed >> 12;  // fits the 53 bits that a JSON reader may keep of a number
}

/// Writes events as lines; a reader that has gone away ends the run.
class EventWriter {
 public:
  explicit EventWriter(int fd) : fd_(fd) {}
  void operator()(const nlohmann::json& event) const {
    std::string line = event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (!write_wholly(fd_, line)) throw std::runtime_error("nobody reads the results");
  }

 private:
  int fd_;
};

struct CommandLine {
  JudgeOptions judge;
  bool worker = false;
  bool simulate = false;
  std::string module;
  int result_fd = STDOUT_FILENO;
};

double number(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value >= 0))
    throw std::invalid_argument(option + " wants a number, not '" + text + "'");
  return value;
}

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("a seed is a whole number, not '" + text + "'");
  return seed;
}

/// The seed that the environment gives, or a fresh one. The environment can be read by this user alone, a
/// command line by everybody on the machine; and a rung's process is not to inherit it.
std::uint64_t first_seed() {
  const char* given = std::getenv("LADDER_SEED");
  const std::uint64_t seed = given == nullptr ? fresh_seed() : seed_of(given);
  unsetenv("LADDER_SEED");
  return seed;
}

CommandLine parse(const std::vector<std::string>& words) {
  CommandLine line;
  line.judge.seed = first_seed();
  JudgeOptions& judge = line.judge;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--worker") {
      line.worker = true;
      continue;
    }
    if (option == "--simulate") {
      line.simulate = true;
      continue;
    }
    if (option == "--apart") {
      judge.apart.apart = true;
      continue;
    }
    if (option == "--check-only") {
      judge.check_only = true;
      continue;
    }
    if (i + 1 == words.size())
      throw std::invalid_argument("unknown option, or one without its value: " + option);
    const std::string& value = words[++i];
    if (option == "--lesson")
      judge.lesson_path = value;
    else if (option == "--lesson-name")
      judge.lesson_name = value;
    else if (option == "--module")
      line.module = value;
    else if (option == "--rung")
      judge.rungs.push_back(RungSpec::parse(value));
    else if (option == "--baseline")
      judge.baselines.push_back(RungSpec::parse(value));
    else if (option == "--cases" && (value == "quick" || value == "all"))
      judge.quick = value == "quick";
    else if (option == "--seed")
      judge.seed = seed_of(value);
    else if (option == "--timeout")
      judge.limits.call_seconds = number(option, value);
    else if (option == "--rung-seconds")
      judge.limits.rung_seconds = number(option, value);
    else if (option == "--end-seconds")
      judge.limits.end_seconds = number(option, value);
    else if (option == "--hidden")
      judge.hidden = static_cast<int>(number(option, value));
    else if (option == "--worker-command")
      judge.limits.command = WorkerCommand::read(value);
    else if (option == "--simulator-command")
      judge.apart.simulator_command = WorkerCommand::read(value);
    else if (option == "--memory-mb")
      judge.limits.memory_bytes = static_cast<std::size_t>(number(option, value)) << 20;
    else if (option == "--peaks")
      judge.peaks_file = value;
    else if (option == "--peaks-module")
      judge.peaks_module = value;
    else if (option == "--result-fd")
      line.result_fd = static_cast<int>(number(option, value));
    else
      throw std::invalid_argument("unknown option or value: " + option + " " + value);
  }
  return line;
}

/// Where the build puts the peaks' module: beside the folder that this program is in.
std::string default_peaks_module() {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto module = here.parent_path() / "modules" / "peaks.so";
  return std::filesystem::exists(module, error) ? module.string() : "";
}

int run_judge(CommandLine line) {
  JudgeOptions& options = line.judge;
  if (options.lesson_path.empty() || (options.rungs.empty() && options.baselines.empty())) {
    std::cerr << kUsage;
    return 2;
  }
  // dlopen() would look for a bare name in the system's folders.
  options.lesson_path = std::filesystem::absolute(options.lesson_path);
  for (auto* list : {&options.rungs, &options.baselines})
    for (auto& rung : *list) rung.module = std::filesystem::absolute(rung.module);
  if (options.lesson_name.empty())
    options.lesson_name = std::filesystem::path(options.lesson_path).parent_path().filename();
  if (options.peaks_module.empty()) options.peaks_module = default_peaks_module();
  if (line.result_fd > STDERR_FILENO) fcntl(line.result_fd, F_SETFD, FD_CLOEXEC);
  const EventWriter writer(line.result_fd);
  try {
    return judge(options, writer);
  } catch (const std::exception& error) {
    writer({{"event", "error"}, {"message", error.what()}});
    return 2;
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  SignalGuard signals;
  signals.ignore({SIGPIPE});  // of a reader that has gone away write() tells
  try {
    CommandLine line = parse({argv + 1, argv + argc});
    if (line.simulate) return device().simulate();
    if (line.worker) return worker_main(line.judge.lesson_path, line.module);
    return run_judge(std::move(line));
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace ladder
