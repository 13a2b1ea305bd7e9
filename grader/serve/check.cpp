#include "grader/serve/check.h"

#include <array>
#include <cerrno>

namespace ladder::cli::serve {
namespace {

constexpr std::size_t kMostOutput = 20'000;

SubprocessOptions options_of(const std::filesystem::path& ladder, const std::string& rung,
                             const std::string& device, const Pipe& pipe) {
  SubprocessOptions options;
  options.argv = {ladder.string(), "run", rung, "--device", device, "--color", "never"};
  options.environment = {{"LADDER_SIM_LENS", "1"}};  // the timeline, too
  options.output = pipe.write.get();
  options.own_group = true;  // Ctrl-C is for the server, which then ends this
  options.death_signal = SIGTERM;
  options.patience = std::chrono::seconds(3);
  return options;
}

}  // namespace

Check::Check(const Loop& loop, const std::filesystem::path& ladder, const std::string& rung,
             const std::string& device, std::function<void(int, const std::string&)> then)
    : child_(options_of(ladder, rung, device, pipe_)), then_(std::move(then)) {
  pipe_.write.reset();
  do_not_block(pipe_.read.get());
  waiting_ = Waiting::readable(loop, pipe_.read.get(), [this] { read(); });
}

void Check::cancel() {
  cancelled_ = true;
  child_.send(SIGTERM);  // it ends what it has started
}

void Check::read() {
  std::array<char, 4096> bytes;
  const ssize_t n = ::read(pipe_.read.get(), bytes.data(), bytes.size());
  if (n > 0) {
    output_.append(bytes.data(), static_cast<std::size_t>(n));
    if (output_.size() > kMostOutput) output_.erase(0, output_.size() - kMostOutput);
    return;
  }
  if (n < 0 && errno == EAGAIN) return;
  waiting_.reset();
  const ExitStatus status = child_.wait();
  if (cancelled_) {
    if (cancelled_then_) cancelled_then_();
  } else {
    then_(status.signal != 0 ? 128 + status.signal : status.code, output_);
  }
}

}  // namespace ladder::cli::serve
