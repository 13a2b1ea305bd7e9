#include "grader/apps/runner/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "grader/judge/judge.h"
#include "grader/platform/process/signals.h"
#include "grader/worker/device/device.h"
#include "grader/worker/worker.h"

namespace ladder {
namespace {

struct CommandLine {
  RunRequest request;
  bool worker = false;
  bool simulate = false;
  std::string module;
  int result_fd = STDOUT_FILENO;
};

/// The seed that the environment gives. It can be read by this user alone, a command line by everybody on the
/// machine; and a rung's process is not to inherit it.
std::string seed_of_environment() {
  const char* given = std::getenv("LADDER_SEED");
  std::string seed = given == nullptr ? "" : given;
  unsetenv("LADDER_SEED");
  return seed;
}

void add(CLI::App& app, RunRequest& request, const RequestOption& option) {
  const auto take = [&request, &option](const std::string& value) {
    try {
      option.read(request, value);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(option.name, error.what());
    }
  };
  if (option.value.empty()) {
    app.add_flag_callback(
        option.name, [take] { take(""); }, option.help);
    return;
  }
  app.add_option_function<std::vector<std::string>>(
         option.name,
         [take](const std::vector<std::string>& values) {
           for (const std::string& value : values) take(value);
         },
         option.help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(option.repeated ? CLI::MultiOptionPolicy::TakeAll
                                            : CLI::MultiOptionPolicy::TakeLast)
      ->type_name(option.value);
}

/// Reads the words into @p line. @throws CLI::Error
void parse(CLI::App& app, CommandLine& line, int argc, char** argv) {
  for (const RequestOption& option : request_options()) {
    add(app, line.request, option);
    if (option.name != "--seed") continue;
    if (const std::string seed = seed_of_environment(); !seed.empty()) option.read(line.request, seed);
  }
  app.add_option("--result-fd", line.result_fd, "descriptor for the events; stdout without it")
      ->check(CLI::NonNegativeNumber)
      ->type_name("FD");
  // How a judge starts the rung's process, and its simulator's.
  app.add_flag("--worker", line.worker)->group("");
  app.add_flag("--simulate", line.simulate)->group("");
  app.add_option("--module", line.module)->group("");
  app.footer("grader/judge/README.md says what each does and what comes out.");
  app.parse(argc, argv);
}

/// Where the build puts the peaks' module: beside the folder that this program is in.
std::string default_peaks_module() {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto module = here.parent_path() / "modules" / "peaks.so";
  return std::filesystem::exists(module, error) ? module.string() : "";
}

int run_judge(RunRequest request, int result_fd) {
  // dlopen() would look for a bare name in the system's folders.
  request.lesson_path = std::filesystem::absolute(request.lesson_path);
  for (auto* list : {&request.rungs, &request.baselines})
    for (RungSpec& rung : *list) rung.module = std::filesystem::absolute(rung.module);
  if (request.lesson_name.empty())
    request.lesson_name = std::filesystem::path(request.lesson_path).parent_path().filename();
  if (request.peaks_module.empty()) request.peaks_module = default_peaks_module();
  if (result_fd > STDERR_FILENO) fcntl(result_fd, F_SETFD, FD_CLOEXEC);
  const EventSink write = [result_fd](const Event& event) {  // a reader that has gone away ends the run
    if (!write_wholly(result_fd, to_line(event) + "\n")) throw std::runtime_error("nobody reads the results");
  };
  try {
    return judge(request, write);
  } catch (const std::exception& error) {
    write(event::Error{error.what()});
    return 2;
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  SignalGuard signals;
  signals.ignore({SIGPIPE});  // of a reader that has gone away write() tells
  CLI::App app("Judges rungs of a lesson.", std::filesystem::path(argv[0]).filename());
  try {
    CommandLine line;
    parse(app, line, argc, argv);
    if (line.simulate) return device().simulate();
    if (line.worker) return worker_main(line.request.lesson_path, line.module);
    if (!line.request.lesson_path.empty() && !(line.request.rungs.empty() && line.request.baselines.empty()))
      return run_judge(std::move(line.request), line.result_fd);
    std::cerr << app.help();
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
  }
  return 2;
}

}  // namespace ladder
