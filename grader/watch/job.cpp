#include "grader/watch/job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "grader/watch/console.h"

namespace ladder::cli::watch {
namespace {

constexpr std::chrono::seconds kPatience{3};

[[noreturn]] void work_in_child(const std::function<ExitCode(int)>& work, const int (&lines)[2],
                                const int (&progress)[2], pid_t parent) {
  leave_console_in_child();
  ::setpgid(0, 0);                     // Ctrl-C is for the watcher, which then ends this
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // so that it still ends its own children tidily
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(lines[1], 1);
  ::dup2(lines[1], 2);
  for (const int fd : {lines[0], lines[1], progress[0]}) ::close(fd);
  ::setvbuf(stdout, nullptr, _IOLBF, 0);
  ExitCode code = ExitCode::internal;
  try {
    code = work(progress[1]);
  } catch (const Failure& failure) {
    code = failure.code();
    if (code != ExitCode::interrupted)
      std::printf("ladder: %s\n%s\n", failure.what(), failure.advice().c_str());
  } catch (const std::exception& error) {
    std::printf("ladder: a mistake in ladder itself: %s\n", error.what());
  }
  std::fflush(stdout);
  ::_exit(static_cast<int>(code));
}

}  // namespace

Job::Job(const std::function<ExitCode(int)>& work) {
  int lines[2], progress[2];
  if (::pipe2(lines, O_CLOEXEC) != 0 || ::pipe2(progress, O_CLOEXEC) != 0)
    throw Failure(ExitCode::environment, "cannot make a pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) throw Failure(ExitCode::environment, "cannot start a process");
  if (child_ == 0) work_in_child(work, lines, progress, parent);
  ::setpgid(child_, child_);
  ::close(lines[1]);
  ::close(progress[1]);
  lines_.fd = lines[0];
  progress_.fd = progress[0];
  for (const int fd : {lines_.fd, progress_.fd}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

Job::~Job() {
  if (child_ > 0) {
    cancel();
    while (!tick().ended) ::usleep(10'000);
  }
  ::close(lines_.fd);
  ::close(progress_.fd);
}

void Job::stop(int number) const {
  if (child_ > 0) ::kill(child_, number);
}

void Job::cancel() {
  if (cancelled_) return;
  cancelled_ = true;
  cancel_by_ = Clock::now() + kPatience;
  stop(SIGTERM);
}

std::vector<std::string> Job::Stream::take() {
  char chunk[16384];
  for (ssize_t n; (n = ::read(fd, chunk, sizeof chunk)) > 0;) rest.append(chunk, static_cast<std::size_t>(n));
  std::vector<std::string> lines;
  for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
    lines.push_back(rest.substr(0, end));
  return lines;
}

Job::News Job::tick() {
  News news;
  int status = 0;
  if (cancelled_ && Clock::now() > cancel_by_) stop(SIGKILL);
  // Asked before the pipes are read: what it wrote before its end is then in them.
  if (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == child_) {
    child_ = -1;
    code_ = WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::internal;
  }
  news.ended = child_ < 0;
  news.lines = lines_.take();
  if (news.ended && WIFSIGNALED(status) && !cancelled_)
    news.lines.push_back(std::string("ladder: this was ended from outside (") +
                         ::strsignal(WTERMSIG(status)) +
                         "); where memory is short, that is the system's doing. Enter tries again.");
  if (auto words = progress_.take(); !words.empty()) news.progress = std::move(words.back());
  return news;
}

}  // namespace ladder::cli::watch
