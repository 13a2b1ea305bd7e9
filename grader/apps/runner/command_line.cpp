#include "grader/apps/runner/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "grader/judge/judge.h"
#include "grader/platform/process/signals.h"
#include "grader/platform/process/this_program.h"
#include "grader/worker/device/device.h"
#include "grader/worker/worker.h"

namespace ladder {
namespace {

struct CommandLine {
  RunRequest request;
  bool worker = false;
  bool simulate = false;
  bool help = false;
  std::string module;
  std::string devices;  ///< that a simulator in this process has; empty: one
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

/// A word of the command line that begins with two dashes. The parsers of libraries take seconds to compile,
/// which a student's first ladder would wait for, and only `ladder` writes these lines.
struct Option {
  std::string name, value, help;  ///< as in RequestOption; without help it is not listed
  std::function<void(const std::string&)> take;
};

/// @throws std::invalid_argument
int descriptor(const std::string& text) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0)
    throw std::invalid_argument(text + " is no descriptor");
  return number;
}

std::vector<Option> options_of(CommandLine& line) {
  std::vector<Option> all;
  for (const RequestOption& option : request_options())
    all.push_back({option.name, option.value, option.help,
                   [&line, &option](const std::string& value) { option.read(line.request, value); }});
  all.push_back({"--result-fd", "FD", "descriptor for the events; stdout without it",
                 [&line](const std::string& value) { line.result_fd = descriptor(value); }});
  // How a judge starts the rung's process, and its simulator's.
  all.push_back({"--worker", "", "", [&line](const std::string&) { line.worker = true; }});
  all.push_back({"--simulate", "", "", [&line](const std::string&) { line.simulate = true; }});
  all.push_back({"--devices", "N", "", [&line](const std::string& value) { line.devices = value; }});
  all.push_back({"--module", "MODULE", "", [&line](const std::string& value) { line.module = value; }});
  all.push_back({"--help", "", "print this", [&line](const std::string&) { line.help = true; }});
  return all;
}

/// Reads the words into a command line. @throws std::invalid_argument
void parse(const std::vector<Option>& options, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == words[i]; });
    if (option == options.end()) throw std::invalid_argument(words[i] + " is no option");
    if (!option->value.empty() && ++i == words.size())
      throw std::invalid_argument(option->name + " needs a value");
    try {
      option->take(option->value.empty() ? "" : words[i]);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(option->name + ": " + error.what());
    }
  }
}

void print_help(std::ostream& out, const std::string& program, const std::vector<Option>& options) {
  out << "Judges rungs of a lesson.\nUsage: " << program << " OPTION...\n\n";
  for (const Option& option : options)
    if (!option.help.empty())
      out << "  " << option.name << (option.value.empty() ? "" : " ") << option.value << "\n      "
          << option.help << '\n';
  out << "\ngrader/judge/README.md says what each does and what comes out.\n";
}

/// Where the build puts the peaks' module: beside the folder that this program is in.
std::string default_peaks_module() {
  std::error_code error;
  const auto module = this_program().parent_path().parent_path() / "modules" / "peaks.so";
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
  const std::string program = std::filesystem::path(argv[0]).filename();
  CommandLine line;
  const std::vector<Option> options = options_of(line);
  try {
    if (const std::string seed = seed_of_environment(); !seed.empty()) parse(options, {"--seed", seed});
    parse(options, {argv + 1, argv + argc});
    if (line.help) return print_help(std::cout, program, options), 0;
    if (!line.devices.empty()) ::setenv("LADDER_SIM_DEVICES", line.devices.c_str(), 1);
    if (line.simulate) return device().simulate();
    if (line.worker) return worker_main(line.request.lesson_path, line.module);
    if (!line.request.lesson_path.empty() && !(line.request.rungs.empty() && line.request.baselines.empty()))
      return run_judge(std::move(line.request), line.result_fd);
    print_help(std::cerr, program, options);
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
  }
  return 2;
}

}  // namespace ladder
