#include "grader/judge/remote_worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>

#include "grader/platform/process/process_tree.h"

namespace ladder {
namespace {

std::vector<pid_t> living;  // workers of this judge, a rung's and its baselines'
std::mutex children;        // held while a worker is started or waited for, in whichever thread

constexpr double kFarewellSeconds = 0.5;  // from closing the channel to the process's end
constexpr int kTickMs = 20;               // how often memory is looked at
constexpr int kMostLooks =
    1000;  // for processes left behind: one that forks faster than that is not to keep us here

/// Both ends of a socket.
std::pair<UniqueFd, UniqueFd> make_sockets() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "a channel to the rung's process");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<int> all_signals() {
  std::vector<int> all;
  for (int number = 1; number < NSIG; ++number) all.push_back(number);
  return all;
}

}  // namespace

RemoteWorker::RemoteWorker(const std::vector<std::string>& arguments, const std::string& module,
                           const WorkerLimits& limits, TimeLimit& time, const std::string& program_file,
                           std::span<const int> inherited)
    : limits_(limits), time_(time), page_(4096) {
  auto [ours, theirs] = make_sockets();
  channel_.emplace(std::move(ours));
  Pipe output;
  do_not_block(output.read.get());

  SubprocessOptions options;
  options.name = "the rung's process";
  options.argv = limits.command.words(module);
  options.program = limits.command.given() ? options.argv.front()
                    : program_file.empty() ? "/proc/self/exe"
                                           : program_file;
  if (!limits.command.given()) options.argv = {"ladder-rung"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.output = output.write.get();
  options.descriptors = {{kChannelFd, theirs.get()}, {kLastWordsFd, page_.fd()}};
  for (const int fd : inherited) options.descriptors.emplace_back(options.descriptors.back().first + 1, fd);
  options.close_others = true;  // whatever else is open here, such as what our own parent left
  options.own_group = true;     // so that all of it can be killed
  options.default_signals = all_signals();
  sigemptyset(&options.mask.emplace());
  const std::scoped_lock lock(children);
  process_.emplace(options);
  tree_.emplace(process_->pid());
  living.push_back(process_->pid());
  output_ = std::move(output.read);
}

RemoteWorker::~RemoteWorker() {
  if (alive() && limits_.end_seconds > 0) {
    channel_.reset();  // no more messages: it ends
    await_end(limits_.end_seconds);
  }
  kill_group();
}

void RemoteWorker::kill_strays() {
  // What a rung started and let go of is handed to us, its nearest subreaper. Workers still at work are ours
  // to keep. Whoever is killed hands us its own children, so one look is not enough.
  bool found = true;
  for (int looks = 0; found && looks < kMostLooks; ++looks) {
    found = false;
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
      std::ifstream children(task.path() / "children");
      for (pid_t child = 0; children >> child;) {
        if (std::find(living.begin(), living.end(), child) != living.end()) continue;
        found = true;
        kill(child, SIGKILL);
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
      }
    }
  }
}

void RemoteWorker::interrupt() {
  const std::scoped_lock lock(children);
  if (alive()) process_->send_to_group(SIGKILL);
}

void RemoteWorker::kill_group() {
  const std::scoped_lock lock(children);
  if (!alive()) return;
  std::erase(living, process_->pid());
  process_->kill();
  kill_strays();
}

void RemoteWorker::drain_output() {
  char bytes[16384];
  // Bounded, so that a rung that prints without end cannot keep the judge here.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(output_.get(), bytes, sizeof(bytes));
    if (n == 0) output_.reset();  // every writer has closed it
    if (n <= 0) return;
    printed_bytes_ += static_cast<std::size_t>(n);
    const std::size_t room = kMostPrinted - std::min(kMostPrinted, printed_.size());
    printed_.append(bytes, std::min(room, static_cast<std::size_t>(n)));
  }
}

LastWords RemoteWorker::last_words() const {
  LastWords words;
  std::memcpy(&words, page_.data(), sizeof(words));
  words.arrays_used = std::min<std::uint32_t>(words.arrays_used, LastWords::kMostArrays);
  for (auto& array : words.arrays) array.name[sizeof(array.name) - 1] = '\0';
  return words;
}

Ending RemoteWorker::ending_of(const ExitStatus& status) const {
  Ending ending;
  ending.words = last_words();
  if (status.signal != 0) {
    ending.how = Ending::How::signal;
    ending.number = status.signal;
    return ending;
  }
  ending.how = Ending::How::exit;
  ending.number = status.code;
  // A sandbox tells of a signal as a shell does.
  if (limits_.command.given() && ending.number > 128 && ending.number < 128 + NSIG) {
    ending.how = Ending::How::signal;
    ending.number -= 128;
  }
  return ending;
}

std::optional<Ending> RemoteWorker::look_for_end() {
  const pid_t pid = process_->pid();
  std::optional<ExitStatus> status;
  {
    const std::scoped_lock lock(children);
    status = process_->poll();
    if (!status) return std::nullopt;
    std::erase(living, pid);
    kill_strays();
  }
  drain_output();
  return ending_of(*status);
}

std::optional<Ending> RemoteWorker::await_end(double seconds) {
  const auto deadline = TimeLimit::Clock::now() + TimeLimit::Seconds(seconds);
  while (TimeLimit::Clock::now() < deadline) {
    if (auto ending = look_for_end()) return ending;
    drain_output();  // a full pipe would keep it
    usleep(10000);
  }
  return std::nullopt;
}

Ending RemoteWorker::kill_as(Ending::How how) {
  Ending ending;
  ending.how = how;
  ending.words = last_words();
  drain_output();
  kill_group();
  return ending;
}

std::optional<Ending> RemoteWorker::look() {
  if (!alive()) return Ending{};
  if (auto ending = look_for_end()) return ending;
  drain_output();
  const auto [bytes, since] = tree_->look();
  time_.note(since);
  // The shared arrays twice: the simulator looks for findings in a forked copy of the process.
  if (bytes <= (limits_.memory_mb << 20) + 2 * shared_bytes_) return std::nullopt;
  Ending ending = kill_as(Ending::How::memory);
  ending.bytes = bytes;
  return ending;
}

std::variant<nlohmann::json, Ending> RemoteWorker::receive(double seconds) {
  const auto begin = TimeLimit::Clock::now();
  const auto given_back = time_.given_back();
  beside_ended_.reset();
  if (!alive()) return Ending{};
  for (;;) {
    pollfd fds[2] = {{channel_->fd(), POLLIN, 0}, {output_.get(), POLLIN, 0}};
    poll(fds, 2, kTickMs);
    drain_output();
    const bool open = channel_->pump();
    try {
      if (auto message = channel_->next()) {
        cut_texts(*message);
        return std::move(*message);
      }
    } catch (const BadMessage&) {
      return kill_as(Ending::How::broken_channel);
    }
    if (auto ending = look()) return *ending;
    if (beside_ != nullptr) {
      beside_ended_ = beside_->look();
      if (beside_ended_) return kill_as(Ending::How::broken_channel);
    }
    if (!open) {
      // It is about to end, or has closed the channel and lives on.
      if (auto ending = await_end(std::max(kFarewellSeconds, limits_.end_seconds))) return *ending;
      return kill_as(Ending::How::broken_channel);
    }
    time_.note_this_thread();
    const auto left =
        TimeLimit::Seconds(seconds) + (time_.given_back() - given_back) - (TimeLimit::Clock::now() - begin);
    if (left <= TimeLimit::Seconds::zero() || time_.over()) {
      Ending ending = kill_as(Ending::How::timeout);
      ending.seconds = time_.over() ? time_.seconds() : seconds;
      return ending;
    }
  }
}

std::variant<nlohmann::json, Ending> RemoteWorker::call(const nlohmann::json& message,
                                                        std::span<const int> fds, std::size_t shared_bytes) {
  shared_bytes_ = std::max(shared_bytes_, shared_bytes);
  if (alive()) (void)channel_->send(message, fds);  // a failure shows as an ending below
  return receive(limits_.call_seconds);
}

}  // namespace ladder
