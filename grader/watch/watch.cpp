// The loop: what is shown, what runs, what came in.
#include "grader/watch/watch.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "grader/course/edition.h"
#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/present/map_view.h"
#include "grader/watch/views.h"
#include "grader/watch/watcher.h"

namespace ladder::cli::watch {
namespace {

using namespace std::chrono_literals;
constexpr auto kFrame = 100ms;  // of the sign that something is going on

}  // namespace

Watch::Watch(Context& context, Selection start, const WatchOptions& options)
    : context_(context), options_(options), page_(context.out, Console::size()) {
  fit_width();
  if (options.page) {
    ::setenv("LADDER_SIM_LENS", "1", 1);  // of the checks: the page draws steps, elements and the timeline
    second_screen_.emplace(context.project(), start.lesson->id(start.rung()));
  }
  go_to(std::move(start));
  if (second_screen_) page_.add({"  page  " + context_.out.paint(Tone::code, second_screen_->address())});
  if (const std::string& notice = context_.progress().notice(); !notice.empty())  // the page scrolled it away
    page_.add(wrap("note: " + notice, static_cast<std::size_t>(context_.out.width)));
}

ExitCode Watch::run() {
  while (!over_) {
    show_footer();
    wait();
    take_signals();
    if (over_) break;
    take_job();
    if (saves_->settled(Clock::now())) saved();
    take_keys();
  }
  task_.reset();
  page_.end();
  return *over_;
}

bool Watch::solutions() const { return has_solutions(context_.project()); }

std::string Watch::contents() const {
  try {
    return read_file(lesson().student_file(rung()));
  } catch (const Failure&) {  // it is gone, for a moment or for good; a check says so
    return {};
  }
}

void Watch::show_footer() {
  if (!context_.out.tty) return;
  std::vector<std::string> lines;
  if (prompt_) {
    if (page_.waiting() > 0)
      lines.push_back(context_.out.paint(Tone::code, "space") + " " + more_lines(page_.waiting()));
    lines.push_back(prompt_->shown(context_.out));
  } else {
    lines = key_lines(context_.out, page_.size().columns, passed_, page_.waiting(), solutions());
    lines.insert(lines.begin(), status());
  }
  if (page_.size().rows > 12) lines.insert(lines.begin(), "");
  page_.footer(std::move(lines));
}

std::string Watch::status() {
  if (!task_) return status_;
  static constexpr std::array kFrames = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  const double seconds = std::chrono::duration<double>(Clock::now() - task_->began()).count();
  const auto frame = static_cast<std::size_t>(seconds * 10) % kFrames.size();
  const std::string what = task_->cancelled() ? "ending the older check" : doing_;
  return fmt::format(
      "{} {}  {:.1f} s", context_.out.paint(Tone::accent, context_.out.pick(kFrames[frame], "*")),
      shorten(what, static_cast<std::size_t>(std::max(20, page_.size().columns - 12)), context_.out.unicode),
      seconds);
}

void Watch::keys_for_dumb_terminal() {
  if (!context_.out.tty)
    page_.add(
        {status_, fmt::format("keys: h l t {}m n r Enter q; ? explains them", solutions() ? "d " : "")});
}

void Watch::idle(const std::string& what) {
  const std::string file = lesson().student_file(rung()).filename().string();
  status_ = context_.out.paint(Tone::dim, (what.empty() ? "" : what + "; ") + how_noticed(*saves_, file));
}

void Watch::go_to(Selection next) {
  waiting_work_.reset();
  if (task_) task_->cancel();  // it was about another rung
  at_ = std::move(next);
  saves_ = std::make_unique<Saves>(lesson().student_file(rung()), options_.notice);
  const RungState how = state();
  passed_ = how == RungState::passed;
  checked_.reset();
  page_.begin();
  idle("");
  if (how == RungState::untouched || how == RungState::passed) {
    show_task();
  } else {
    check();
  }
}

void Watch::show_task() {
  page_.add(task_lines(context_, lesson(), rung()));
  if (passed_)
    page_.add({"", "  " + context_.out.paint(Tone::good, "It has passed.") + " Enter checks it again."});
  checked_ = contents();
  keys_for_dumb_terminal();
  std::error_code ignored;
  if (std::filesystem::exists(plugin_of(context_.project(), lesson()), ignored)) return;
  start(
      "getting the lesson ready",
      [at = at_](Context& context) {
        build_lesson(context, *at.lesson);
        return ExitCode::passed;
      },
      [this](ExitCode) { idle(""); });
  may_wait_ = true;
}

void Watch::next() {
  const Selection after = rung_after(context_, lesson(), rung());
  if (after.lesson != nullptr) return go_to(after);
  page_.add({"", context_.out.paint(Tone::good, "Every other rung of the course has passed. Well climbed.")});
}

void Watch::start(std::string doing, std::function<ExitCode(Context&)> work,
                  std::function<void(ExitCode)> then) {
  may_wait_ = false;
  waiting_work_ = {std::move(doing), std::move(work), std::move(then)};
  if (task_) return task_->cancel();
  start_waiting();
}

void Watch::start_waiting() {
  Work next = std::move(*waiting_work_);
  waiting_work_.reset();
  doing_ = next.doing;
  then_ = std::move(next.then);
  task_ = std::make_unique<BackgroundTask>([this, work = std::move(next.work)](int progress_fd) {
    context_.out.progress_fd = progress_fd;
    context_.out.tty = false;
    return work(context_);
  });
}

void Watch::take_job() {
  if (!task_) return;
  const BackgroundTask::News news = task_->tick();
  if (!task_->cancelled()) {
    page_.add(news.lines);
    if (!news.progress.empty()) doing_ = news.progress;
  }
  if (!news.ended) return;
  const bool cancelled = task_->cancelled();
  const ExitCode code = task_->code();
  task_.reset();
  context_.forget_progress();
  if (!cancelled) then_(code);
  if (waiting_work_) return start_waiting();
  if (const char key = std::exchange(queued_key_, 0)) press(key);
}

void Watch::saved() {
  std::string now = contents();
  if (checked_ && now == *checked_) {
    if (!task_) idle("saved without a change (Enter checks again)");
    return;
  }
  prompt_.reset();
  check();
}

void Watch::check() {
  checked_ = contents();
  began_ = Clock::now();
  page_.begin();
  page_.add({rule(context_, lesson(), rung(), page_.size().columns)});
  start(
      "checking " + lesson().student_file(rung()).filename().string(),
      [at = at_, lesson_run = options_.lesson_run](Context& context) {
        return watch::check(context, at, lesson_run);
      },
      [this](ExitCode code) { checked(code); });
}

void Watch::checked(ExitCode code) {
  const bool before = passed_;
  passed_ = code == ExitCode::passed;
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  idle(fmt::format("{} in {:.1f} s",
                   passed_                              ? "passed"
                   : state() == RungState::idea_missing ? state_words(RungState::idea_missing)
                   : code == ExitCode::failed           ? "checked"
                                                        : "not checked",
                   seconds));
  if (passed_) {
    const Selection after = rung_after(context_, lesson(), rung());
    const std::string diff = context_.out.paint(Tone::code, "d");
    page_.add({""});
    if (solutions())
      page_.add({fmt::format("  {} shows your file beside the solution{}", diff,
                             before ? "." : ", now that you have your own.")});
    if (after.lesson != nullptr)
      page_.add(
          {fmt::format("  {} goes on to {} {}; nothing hurries you.", context_.out.paint(Tone::code, "n"),
                       after.lesson->id(after.rung()), spoken(after.rung()))});
  } else if (code == ExitCode::failed && !rung().hints.empty()) {
    page_.add({"", fmt::format("  stuck?  {} gives a hint", context_.out.paint(Tone::code, "h"))});
  }
  keys_for_dumb_terminal();
}

void Watch::view(const std::string& doing, std::function<ExitCode(Context&)> work) {
  page_.begin();
  start(doing, std::move(work), [this](ExitCode) {
    passed_ = state() == RungState::passed;  // the ladder judges this rung, too
    idle("");
    keys_for_dumb_terminal();
  });
  may_wait_ = true;
}

void Watch::wait() {
  std::array<pollfd, 5> watched = {{{0, POLLIN, 0},
                                    {console_.signal_fd(), POLLIN, 0},
                                    {saves_->fd(), POLLIN, 0},
                                    {task_ ? task_->lines_fd() : -1, POLLIN, 0},
                                    {task_ ? task_->progress_fd() : -1, POLLIN, 0}}};
  std::chrono::milliseconds timeout = task_ ? kFrame : 1h;
  if (const auto look = saves_->next_look())
    timeout = std::min(timeout, std::chrono::ceil<std::chrono::milliseconds>(*look - Clock::now()));
  ::poll(watched.data(), watched.size(), static_cast<int>(std::max(timeout, 0ms).count()));
  keys_ready_ = watched[0].revents != 0;
}

void Watch::take_signals() {
  while (const auto number = console_.next_signal()) {
    if (*number == SIGWINCH) {
      page_.redraw(Console::size());
      fit_width();
    } else if (*number == SIGTSTP) {
      page_.end();
      console_.suspend();
      page_.redraw(Console::size());
    } else {
      over_ = ExitCode::interrupted;
    }
  }
}
ExitCode watch(Context& context, Selection start, const WatchOptions& options) {
  return Watch(context, std::move(start), options).run();
}

}  // namespace ladder::cli::watch
