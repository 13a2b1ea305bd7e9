#include "grader/grade/engines/meter.h"

#include <fmt/format.h>

#include <cmath>

namespace ladder::cli::grade {
namespace {
constexpr double kSecondsBetweenLines = 15;
}

std::string time_left(std::size_t done_now, std::size_t left, double seconds) {
  if (done_now == 0 || left == 0) return {};
  const double rest = seconds / static_cast<double>(done_now) * static_cast<double>(left);
  if (rest < 90) return fmt::format("about {:.0f} s left", std::ceil(rest / 5) * 5);
  if (rest < 5400) return fmt::format("about {:.0f} min left", rest / 60);
  return fmt::format("about {:.1f} h left", rest / 3600);
}

void Meter::operator()(const EngineProgress& progress) {
  if (!begun_) done_before_ = progress.done;
  begun_ = true;
  if (!progress.note.empty()) {
    line_.clear();
    std::printf("%s\n", without_controls(progress.note).c_str());
  }
  std::string text = fmt::format("{} of {} units graded", progress.done, progress.total);
  if (done_before_ > 0) text += fmt::format(" ({} before)", done_before_);
  if (const std::string left =
          time_left(progress.done - done_before_, progress.total - progress.done, progress.seconds);
      !left.empty())
    text += ", " + left;
  if (terminal_.tty) {
    const double share =
        progress.total == 0 ? 1 : static_cast<double>(progress.done) / static_cast<double>(progress.total);
    line_.show(bar(share, 20, terminal_.unicode) + " " + text);
    return;
  }
  const bool last = progress.done == progress.total;
  const bool lately = told_at_ && progress.seconds - *told_at_ < kSecondsBetweenLines;
  if (progress.total == 0 || told_end_ || (!last && lately)) return;
  told_at_ = progress.seconds;
  told_end_ = last;
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace ladder::cli::grade
