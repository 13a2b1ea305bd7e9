#include "grader/remote/remote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sstream>

#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/terminal.h"
#include "grader/remote/scripts.h"
#include "grader/sim/foreground.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kUsage = 2;      // a runner that starts and is told nothing
constexpr int kIllegal = 132;  // SIGILL, as a shell tells it

std::vector<std::string> ssh_words() {
  const std::string wish = environment("LADDER_SSH");
  std::istringstream text(wish.empty() ? "ssh" : wish);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::string in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return fs::path(folder) / program;
  throw Failure(ExitCode::environment, "there is no " + program + " here",
                "On Debian and Ubuntu: apt install openssh-client");
}

std::string value_of(const std::string& output, const std::string& name) {
  for (const std::string& line : split_lines(output))
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  return {};
}

/// Why the runner did not start over there.
[[noreturn]] void explain(const std::string& target, const Captured& tried) {
  // The loader's words: version `GLIBC_2.38' not found
  if (const std::size_t at = tried.output.find("version `GLIBC_"); at != std::string::npos) {
    const std::size_t from = tried.output.find('`', at) + 1;
    throw Failure(ExitCode::environment,
                  fmt::format("the C library on {} is too old: what was built here needs {}", target,
                              tried.output.substr(from, tried.output.find('\'', from) - from)),
                  "Build on that machine, or here in a container of that machine's system.");
  }
  if (tried.status.code == kIllegal)
    throw Failure(ExitCode::environment,
                  fmt::format("the CPU of {} lacks instructions that the simulator was compiled for", target),
                  "cmake -DLADDER_NATIVE=OFF build, then again.");
  std::string said;
  for (const std::string& line : split_lines(tried.output)) said += "  " + without_controls(line) + "\n";
  throw Failure(ExitCode::environment, fmt::format("the runner does not start on {}", target), said);
}

}  // namespace

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

Remote::Remote(std::string target)
    : target_(std::move(target)), control_(fs::temp_directory_path() / "ladder-ssh-") {
  if (target_.empty() || target_.starts_with('-'))
    throw Failure(ExitCode::usage, fmt::format("\"{}\" is no machine", target_), "--on takes user@host.");
  connect();
  probe();
  ::fcntl(stdin_.read.get(), F_SETFD, 0);  // for the ssh that runs the runner
}

Remote::~Remote() {
  stdin_.read.reset();
  stdin_.write.reset();
  try {
    // The run removes its folder itself; this is for a run that never began.
    if (!scratch_.empty()) capture(ssh("rm -rf " + quoted({scratch_})));
    std::vector<std::string> leave = ssh_words();
    leave.insert(leave.end(),
                 {"-o", "ControlPath=" + (control_.path() / "c").string(), "-O", "exit", target_});
    capture(leave);
  } catch (const Failure&) {  // a second Ctrl-C; the connection ends by itself soon
  }
}

std::vector<std::string> Remote::ssh(const std::string& command) const {
  std::vector<std::string> words = ssh_words();
  words.insert(words.end(),
               {"-o", "ControlPath=" + (control_.path() / "c").string(), "-T", target_, command});
  return words;
}

void Remote::connect() {
  std::vector<std::string> words = ssh_words();
  const std::string program = in_path(words.front());
  // The connection stays for those that follow, and ends soon after the last of them should we be killed.
  words.insert(words.end(),
               {"-o", "ControlMaster=yes", "-o", "ControlPath=" + (control_.path() / "c").string(), "-o",
                "ControlPersist=20", "-o", "ConnectTimeout=15", "-T", target_, "true"});
  const ExitStatus status = run_in_foreground(program, words, {});
  if (status.signal == SIGINT || status.code == 130) throw Failure(ExitCode::interrupted, "interrupted");
  if (!status.ok())
    throw Failure(ExitCode::environment, fmt::format("{} cannot be reached by ssh", target_),
                  fmt::format("This must work first: ssh {} true", target_));
}

void Remote::probe() {
  const Captured told = capture(
      ssh("echo arch=$(uname -m); if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then echo gpu=yes; "
          "nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n '1s/^/cc=/p'; fi; "
          "echo scratch=$(mktemp -d \"${TMPDIR:-/tmp}/cuda-ladder.XXXXXX\")"));
  utsname here{};
  ::uname(&here);
  const std::string arch = value_of(told.output, "arch");
  scratch_ = value_of(told.output, "scratch");
  gpu_ = value_of(told.output, "gpu") == "yes";
  if (const Architecture own = read_architecture(value_of(told.output, "cc")); !own.empty())
    architecture_ = higher(own, kNewestArchitecture) == own ? kNewestArchitecture : own;
  if (arch.empty() || scratch_.empty())
    throw Failure(ExitCode::environment, fmt::format("{} did not say what it is", target_), told.output);
  if (arch == here.machine) return;
  capture(ssh("rm -rf " + quoted({scratch_})));
  throw Failure(ExitCode::environment,
                fmt::format("{} is {}, and this machine is {}: what was built here does not run there",
                            target_, arch, here.machine),
                "Clone the course on that machine and use ./ladder run there.");
}

void Remote::upload(Package& package, const std::string& runner) {
  package.write("serve", kServe, true);
  const std::string unpack = fmt::format("cd {0} && tar xzf - && chmod +x serve {1} && ./serve --try ./{1}",
                                         quoted({scratch_}), PackagePlaces::binary(runner).string());
  const std::string pack =
      fmt::format("tar -C {} -chzf - . | {}", quoted({package.folder().string()}), quoted(ssh(unpack)));
  const Captured tried = capture({"sh", "-c", pack});
  if (tried.status.code != kUsage) explain(target_, tried);
}

std::vector<std::string> Remote::command(const std::vector<std::string>& words) const {
  std::vector<std::string> there = {at("serve").string()};
  there.insert(there.end(), words.begin(), words.end());
  // By their names in /dev/fd: dash takes no number of two digits after >&.
  return {"sh", "-c",
          fmt::format("exec </dev/fd/{} >/dev/fd/{{result-fd}} {}", stdin_.read.get(),
                      quoted(ssh("exec " + quoted(there))))};
}

}  // namespace ladder::cli
