#include "grader/judge/remote_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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
#include <system_error>

#include "grader/platform/process_tree.h"

extern char** environ;

namespace ladder {
namespace {

std::vector<pid_t> living;  // workers of this judge, a rung's and its baselines'

constexpr double kFarewellSeconds = 0.5;  // from closing the channel to the process's end
constexpr int kTickMs = 20;               // how often memory is looked at
constexpr int kMostLooks =
    1000;  // for processes left behind: one that forks faster than that is not to keep us here

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
};

struct Attributes {
  posix_spawnattr_t attributes;
  Attributes() {
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);  // a group of its own, so that all of it can be killed
    sigset_t set;
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
};

// Descriptors at or above 10, so that dup2 to 3 and 4 in the child cannot collide with one that is still
// needed.
int lifted(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  const int error = errno;
  close(fd);
  if (high < 0) fail(error, "descriptors for the rung's process");
  return high;
}

}  // namespace

RemoteWorker::RemoteWorker(const std::vector<std::string>& arguments, const std::string& module,
                           const WorkerLimits& limits, Clock::time_point deadline,
                           const std::string& program_file, std::span<const int> inherited)
    : limits_(limits), deadline_(deadline), page_(4096) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) fail(errno, "socketpair");
  channel_.emplace(sockets[0]);
  const int theirs = lifted(sockets[1]);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    close(theirs);
    fail(errno, "pipe");
  }
  output_ = pipes[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
  const int out = lifted(pipes[1]);
  const int page = fcntl(page_.fd(), F_DUPFD_CLOEXEC, 10);
  std::vector<int> more;
  for (const int fd : inherited) more.push_back(fcntl(fd, F_DUPFD_CLOEXEC, 10));

  FileActions files;
  posix_spawn_file_actions_addopen(&files.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files.actions, out, 1);
  posix_spawn_file_actions_adddup2(&files.actions, out, 2);
  posix_spawn_file_actions_adddup2(&files.actions, theirs, kChannelFd);
  posix_spawn_file_actions_adddup2(&files.actions, page, kLastWordsFd);
  for (std::size_t i = 0; i < more.size(); ++i)
    posix_spawn_file_actions_adddup2(&files.actions, more[i], kLastWordsFd + 1 + static_cast<int>(i));
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  // Whatever else is open here without close-on-exec, such as what our own parent left, is not for a rung.
  posix_spawn_file_actions_addclosefrom_np(&files.actions, kLastWordsFd + 1 + static_cast<int>(more.size()));
#endif
  std::vector<std::string> words = limits.command.words(module);
  const std::string program = limits.command.given() ? words.front()
                              : program_file.empty() ? "/proc/self/exe"
                                                     : program_file;
  if (!limits.command.given()) words = {"ladder-rung"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const Attributes attributes;
  const int error =
      posix_spawnp(&pid_, program.c_str(), &files.actions, &attributes.attributes, argv.data(), environ);
  close(theirs);
  close(out);
  close(page);
  for (const int fd : more) close(fd);
  if (error != 0) {
    pid_ = -1;
    close(output_);
    fail(error, "starting the rung's process");
  }
  living.push_back(pid_);
}

RemoteWorker::~RemoteWorker() {
  if (alive() && limits_.end_seconds > 0) {
    channel_.reset();  // no more messages: it ends
    await_end(limits_.end_seconds);
  }
  kill_group();
  if (output_ >= 0) close(output_);
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

void RemoteWorker::kill_group() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // in case it left its group
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::erase(living, pid_);
  pid_ = -1;
  kill_strays();
}

void RemoteWorker::drain_output() {
  char bytes[16384];
  // Bounded, so that a rung that prints without end cannot keep the judge here.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(output_, bytes, sizeof(bytes));
    if (n == 0) output_open_ = false;
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

Ending RemoteWorker::ending_of(int status) const {
  Ending ending;
  ending.words = last_words();
  if (WIFSIGNALED(status)) {
    ending.how = Ending::How::signal;
    ending.number = WTERMSIG(status);
    return ending;
  }
  ending.how = Ending::How::exit;
  ending.number = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  // A sandbox tells of a signal as a shell does.
  if (limits_.command.given() && ending.number > 128 && ending.number < 128 + NSIG) {
    ending.how = Ending::How::signal;
    ending.number -= 128;
  }
  return ending;
}

std::optional<Ending> RemoteWorker::look_for_end() {
  int status = 0;
  pid_t ended;
  do ended = waitpid(pid_, &status, WNOHANG);
  while (ended < 0 && errno == EINTR);
  if (ended == 0) return std::nullopt;
  kill(-pid_, SIGKILL);  // processes that it started
  std::erase(living, pid_);
  pid_ = -1;
  kill_strays();
  drain_output();
  return ending_of(status);
}

std::optional<Ending> RemoteWorker::await_end(double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < deadline) {
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
  // The shared arrays twice: the simulator looks for findings in a forked copy of the process.
  const std::size_t bytes = bytes_of_tree(pid_);
  if (bytes <= limits_.memory_bytes + 2 * shared_bytes_) return std::nullopt;
  Ending ending = kill_as(Ending::How::memory);
  ending.bytes = bytes;
  return ending;
}

std::variant<nlohmann::json, Ending> RemoteWorker::receive(double seconds) {
  const auto call_deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto deadline = std::min(call_deadline, deadline_);
  if (!alive()) return Ending{};
  for (;;) {
    pollfd fds[2] = {{channel_->fd(), POLLIN, 0}, {output_open_ ? output_ : -1, POLLIN, 0}};
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
    if (beside_ != nullptr && beside_->look()) return kill_as(Ending::How::broken_channel);
    if (!open) {
      // It is about to end, or has closed the channel and lives on.
      if (auto ending = await_end(std::max(kFarewellSeconds, limits_.end_seconds))) return *ending;
      return kill_as(Ending::How::broken_channel);
    }
    if (Clock::now() > deadline) {
      Ending ending = kill_as(Ending::How::timeout);
      ending.seconds = deadline_ < call_deadline ? limits_.rung_seconds : seconds;
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
