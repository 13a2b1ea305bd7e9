#include "grader/watch/background_task.h"

#include <signal.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "grader/watch/console.h"

namespace ladder::cli::watch {
namespace {

constexpr std::chrono::seconds kPatience{3};

/// What the copy does of this process.
ExitCode work_in_child(const std::function<ExitCode(int)>& work, int progress_fd) {
  Console::leave_in_child();
  ::setvbuf(stdout, nullptr, _IOLBF, 0);
  ExitCode code = ExitCode::internal;
  try {
    code = work(progress_fd);
  } catch (const Failure& failure) {
    code = failure.code();
    if (code != ExitCode::interrupted)
      std::printf("ladder: %s\n%s\n", failure.what(), failure.advice().c_str());
  } catch (const std::exception& error) {
    std::printf("ladder: a mistake in ladder itself: %s\n", error.what());
  }
  std::fflush(stdout);
  return code;
}

}  // namespace

BackgroundTask::BackgroundTask(const std::function<ExitCode(int)>& work) {
  Pipe lines, progress;
  SubprocessOptions options;
  options.output = lines.write.get();
  options.own_group = true;        // Ctrl-C is for the watcher, which then ends this
  options.death_signal = SIGTERM;  // so that it still ends its own children tidily
  options.default_signals.assign(kConsoleSignals.begin(), kConsoleSignals.end());
  child_.emplace(Subprocess::copy(options, [&] {
    for (UniqueFd* unused : {&lines.read, &lines.write, &progress.read}) unused->reset();
    return static_cast<int>(work_in_child(work, progress.write.get()));
  }));
  lines_.emplace(std::move(lines.read), [this](std::string_view line) { news_.lines.emplace_back(line); });
  progress_.emplace(std::move(progress.read), [this](std::string_view word) { news_.progress = word; });
}

BackgroundTask::~BackgroundTask() {
  cancel();
  while (!tick().ended) ::usleep(10'000);
}

void BackgroundTask::cancel() {
  if (cancelled_) return;
  cancelled_ = true;
  cancel_by_ = Clock::now() + kPatience;
  child_->send(SIGTERM);
}

BackgroundTask::News BackgroundTask::tick() {
  if (cancelled_ && Clock::now() > cancel_by_) child_->send(SIGKILL);
  const bool ran = child_->running();
  // Asked before the pipes are read: what it wrote before its end is then in them.
  const std::optional<ExitStatus> status = child_->poll();
  lines_->drain();
  progress_->drain();
  News news = std::exchange(news_, {});
  news.ended = status.has_value();
  if (!ran || !status) return news;
  code_ = status->signal == 0 ? static_cast<ExitCode>(status->code) : ExitCode::internal;
  if (status->signal != 0 && !cancelled_)
    news.lines.push_back(std::string("ladder: this was ended from outside (") + ::strsignal(status->signal) +
                         "); where memory is short, that is the system's doing. Enter tries again.");
  return news;
}

}  // namespace ladder::cli::watch
