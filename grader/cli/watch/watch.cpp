#include "grader/cli/watch/watch.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>

#include "grader/cli/commands/commands.h"
#include "grader/cli/files.h"
#include "grader/cli/map_view.h"
#include "grader/cli/rung_files.h"
#include "grader/cli/watch/console.h"
#include "grader/cli/watch/job.h"
#include "grader/cli/watch/page.h"
#include "grader/cli/watch/prompt.h"
#include "grader/cli/watch/views.h"

namespace ladder::cli::watch {
namespace {

using namespace std::chrono_literals;
constexpr auto kFrame = 100ms;  // of the sign that something is going on

class Watch {
 public:
  Watch(Context& context, Selection start, const WatchOptions& options)
      : context_(context), options_(options), page_(context.out, Console::size()) {
    fit_width();
    go_to(std::move(start));
  }

  ExitCode run() {
    while (!over_) {
      show_footer();
      wait();
      take_signals();
      if (over_) break;
      take_job();
      if (saves_->settled(Clock::now())) saved();
      take_keys();
    }
    job_.reset();
    page_.end();
    return *over_;
  }

 private:
  const LessonInfo& lesson() const { return *at_.lesson; }
  const RungInfo& rung() const { return *at_.rungs.front(); }
  std::string id() const { return lesson().id(rung()); }
  RungState state() { return state_of(context_.progress(), lesson(), rung()); }
  std::string contents() const {
    const auto file = lesson().student_file(rung());
    std::error_code ignored;
    return std::filesystem::exists(file, ignored) ? read_file(file) : std::string();
  }

  // --- what is on the screen

  void fit_width() { context_.out.width = std::clamp(page_.size().columns, 40, 120); }

  void show_footer() {
    if (!context_.out.tty) return;
    std::vector<std::string> lines;
    if (prompt_) {
      lines = {prompt_->shown(context_.out)};
    } else {
      lines = key_lines(context_.out, page_.size().columns, passed_, page_.waiting());
      lines.insert(lines.begin(), status());
    }
    page_.footer(std::move(lines));
  }

  std::string status() {
    if (!job_) return status_;
    static constexpr std::array kFrames = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    const double seconds = std::chrono::duration<double>(Clock::now() - job_->began()).count();
    const auto frame = static_cast<std::size_t>(seconds * 10) % kFrames.size();
    const std::string what = job_->cancelled() ? "ending the older check" : doing_;
    return fmt::format("{} {}  {:.1f} s",
                       context_.out.paint(Tone::accent, context_.out.pick(kFrames[frame], "*")),
                       shorten(what, static_cast<std::size_t>(std::max(20, page_.size().columns - 12)),
                               context_.out.unicode),
                       seconds);
  }

  /// The keys as part of the page, where no footer can be drawn.
  void keys_for_dumb_terminal() {
    if (!context_.out.tty) page_.add({status_, "keys: h l t d m n r Enter q; ? explains them"});
  }

  void idle(const std::string& what) {
    const std::string file = lesson().student_file(rung()).filename().string();
    status_ = context_.out.paint(Tone::dim, (what.empty() ? "" : what + "; ") + how_noticed(*saves_, file));
  }

  // --- rungs

  void go_to(Selection next) {
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

  void show_task() {
    page_.add(task_lines(context_, lesson(), rung()));
    if (passed_)
      page_.add({"", "  " + context_.out.paint(Tone::good, "It has passed.") + " Enter checks it again."});
    checked_ = contents();
    keys_for_dumb_terminal();
  }

  void next() {
    const Selection after = rung_after(context_, lesson(), rung());
    if (after.lesson != nullptr) return go_to(after);
    page_.add(
        {"", context_.out.paint(Tone::good, "Every other rung of the course has passed. Well climbed.")});
  }

  // --- work

  /// Starts work; what runs now is ended first.
  void start(std::string doing, std::function<ExitCode(Context&)> work, std::function<void(ExitCode)> then) {
    waiting_work_ = {std::move(doing), std::move(work), std::move(then)};
    if (job_) return job_->cancel();
    start_waiting();
  }

  void start_waiting() {
    Work next = std::move(*waiting_work_);
    waiting_work_.reset();
    doing_ = next.doing;
    then_ = std::move(next.then);
    job_ = std::make_unique<Job>([this, work = std::move(next.work)](int progress_fd) {
      context_.out.progress_fd = progress_fd;
      context_.out.tty = false;
      return work(context_);
    });
  }

  void take_job() {
    if (!job_) return;
    const Job::News news = job_->tick();
    if (!job_->cancelled()) {
      page_.add(news.lines);
      if (!news.progress.empty()) doing_ = news.progress;
    }
    if (!news.ended) return;
    const bool cancelled = job_->cancelled();
    const ExitCode code = job_->code();
    job_.reset();
    context_.forget_progress();
    if (!cancelled) then_(code);
    if (waiting_work_) return start_waiting();
    if (const char key = std::exchange(queued_key_, 0)) press(key);
  }

  void saved() {
    std::string now = contents();
    if (checked_ && now == *checked_) {
      if (!job_) idle("saved without a change (Enter checks again)");
      return;
    }
    prompt_.reset();
    check();
  }

  void check() {
    checked_ = contents();
    began_ = Clock::now();
    page_.begin();
    page_.add({rule(context_, lesson(), rung(), page_.size().columns)});
    checking_ = true;
    start(
        "checking " + lesson().student_file(rung()).filename().string(),
        [at = at_, session = options_.session](Context& context) {
          return watch::check(context, at, session);
        },
        [this](ExitCode code) { checked(code); });
  }

  void checked(ExitCode code) {
    checking_ = false;
    const bool before = passed_;
    passed_ = code == ExitCode::passed;
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    idle(fmt::format("{} in {:.1f} s",
                     passed_                    ? "passed"
                     : code == ExitCode::failed ? "checked"
                                                : "not checked",
                     seconds));
    if (passed_) {
      const Selection after = rung_after(context_, lesson(), rung());
      const std::string diff = context_.out.paint(Tone::code, "d");
      page_.add({"", fmt::format("  {} shows your file beside the solution{}", diff,
                                 before ? "." : ", now that you have your own.")});
      if (after.lesson != nullptr)
        page_.add(
            {fmt::format("  {} goes on to {} {}; nothing hurries you.", context_.out.paint(Tone::code, "n"),
                         after.lesson->id(*after.rungs.front()), spoken(*after.rungs.front()))});
    } else if (code == ExitCode::failed && !rung().hints.empty()) {
      page_.add({"", fmt::format("  stuck?  {} gives a hint", context_.out.paint(Tone::code, "h"))});
    }
    keys_for_dumb_terminal();
  }

  /// A page of its own, made by another command.
  void view(const std::string& doing, std::function<ExitCode(Context&)> work) {
    page_.begin();
    start(doing, std::move(work), [this](ExitCode) {
      idle("");
      keys_for_dumb_terminal();
    });
  }

  // --- keys

  void take_keys() {
    if (!keys_ready_) return;
    const std::optional<std::string> typed = console_.keys();
    if (!typed) {
      over_ = ExitCode::interrupted;  // the terminal is gone
      return;
    }
    for (const char key : *typed) {
      if (over_) return;
      if (!prompt_) {
        press(key);
      } else if (const auto answer = prompt_->press(key)) {
        const Prompt done = std::move(*prompt_);
        prompt_.reset();
        done.finish(*answer);
      }
    }
  }

  void press(char key) {
    static constexpr std::string_view kForViews = "hltdmnr";
    if (job_ && checking_ && kForViews.find(key) != std::string_view::npos) {
      queued_key_ = key;  // the verdict first
      return;
    }
    switch (key) {
      case 'q':
      case '\004':  // Ctrl-D
        over_ = ExitCode::passed;
        break;
      case ' ':
        page_.more();
        break;
      case '\014':  // Ctrl-L
        page_.redraw(Console::size());
        break;
      case '\n':
      case '\r':
        if (!job_ || !checking_) check();
        break;
      case '?':
        page_.add({""});
        page_.more();
        page_.add(key_help(context_.out));
        break;
      case 'n':
        next();
        break;
      default:
        press_for_view(key);
    }
  }

  void press_for_view(char key) {
    const Selection at = at_;
    switch (key) {
      case 'h':
        hint();
        break;
      case 'l':
        view("running it under the lens",
             [at](Context& context) { return show_lens(context, at, Side::student, {}); });
        break;
      case 't':
        view("climbing the ladder", [at, session = options_.session](Context& context) {
          Selection all{at.lesson, {}, false};
          for (const RungInfo& rung : at.lesson->rungs) all.rungs.push_back(&rung);
          RunOptions options;
          static_cast<SessionOptions&>(options) = session;
          return run_and_show(context, all, options);
        });
        break;
      case 'd':
        if (passed_) return diff();
        prompt_ =
            Prompt::yes_or_no(id() + " has not passed. Show its solution all the same?", [this](bool yes) {
              if (yes) diff();
            });
        break;
      case 'm':
        list();
        break;
      case 'r':
        prompt_ = Prompt::yes_or_no("Start " + id() + " over? Your file is kept in .ladder/backups.",
                                    [this](bool yes) {
                                      if (yes) reset();
                                    });
        break;
      default:
        break;
    }
  }

  /// Below what is there: a hint is read beside the verdict.
  void hint() {
    page_.add({""});
    page_.more();
    start(
        "",
        [at = at_](Context& context) {
          if (!show_next_hint(context, *at.lesson, *at.rungs.front()))
            context.line("There are no hints for this rung. Its lesson's text may help: {}",
                         context.shown(at.lesson->folder / "README.md"));
          return ExitCode::passed;
        },
        [this](ExitCode) {
          const int shown = context_.progress().hints_shown(lesson(), rung()),
                    count = static_cast<int>(rung().hints.size());
          idle(count == 0      ? ""
               : shown < count ? fmt::format("hint {} of {}; h for the next", shown, count)
                               : "that was the last hint; d shows the solution");
        });
  }

  void diff() {
    view("", [at = at_](Context& context) {
      show_diff(context, *at.lesson, *at.rungs.front());
      return ExitCode::passed;
    });
  }

  void list() {
    page_.begin();
    page_.add(rungs_view(lesson(), context_.progress(), context_.out));
    prompt_ = Prompt::line("Go to (a rung such as 09.3, or a lesson; Enter stays): ",
                           [this](const std::string& typed) {
                             if (typed.empty()) return idle("");
                             try {
                               Selection to = find_selection(context_.course(), typed);
                               if (!to.one_rung) to = first_open(*to.lesson);
                               go_to(std::move(to));
                             } catch (const Failure& failure) {
                               status_ = context_.out.paint(Tone::warn, failure.what());
                             }
                           });
  }

  Selection first_open(const LessonInfo& lesson) {
    for (const RungInfo& rung : lesson.rungs)
      if (state_of(context_.progress(), lesson, rung) != RungState::passed) return {&lesson, {&rung}, true};
    return {&lesson, {&lesson.rungs.front()}, true};
  }

  void reset() {
    page_.begin();
    start(
        "",
        [at = at_](Context& context) {
          reset_rung(context, *at.lesson, *at.rungs.front());
          context.line();
          return ExitCode::passed;
        },
        [this](ExitCode) {
          passed_ = false;
          idle("");
          show_task();
        });
  }

  // --- the loop

  void wait() {
    std::array<pollfd, 5> watched = {{{0, POLLIN, 0},
                                      {console_.signal_fd(), POLLIN, 0},
                                      {saves_->fd(), POLLIN, 0},
                                      {job_ ? job_->lines_fd() : -1, POLLIN, 0},
                                      {job_ ? job_->progress_fd() : -1, POLLIN, 0}}};
    std::chrono::milliseconds timeout = job_ ? kFrame : 1h;
    if (const auto look = saves_->next_look())
      timeout = std::min(timeout, std::chrono::ceil<std::chrono::milliseconds>(*look - Clock::now()));
    ::poll(watched.data(), watched.size(), static_cast<int>(std::max(timeout, 0ms).count()));
    keys_ready_ = watched[0].revents != 0;
  }

  void take_signals() {
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

  struct Work {
    std::string doing;
    std::function<ExitCode(Context&)> work;
    std::function<void(ExitCode)> then;
  };

  Context& context_;
  const WatchOptions& options_;
  Console console_;
  Page page_;
  Selection at_;
  std::unique_ptr<Saves> saves_;
  std::unique_ptr<Job> job_;
  std::optional<Work> waiting_work_;  ///< starts when what runs has ended
  std::function<void(ExitCode)> then_;
  std::string doing_, status_;
  std::optional<std::string> checked_;  ///< contents that were checked last, or are being
  Clock::time_point began_{};
  bool checking_ = false, passed_ = false, keys_ready_ = false;
  char queued_key_ = 0;
  std::optional<Prompt> prompt_;
  std::optional<ExitCode> over_;
};

}  // namespace

ExitCode watch(Context& context, Selection start, const WatchOptions& options) {
  return Watch(context, std::move(start), options).run();
}

}  // namespace ladder::cli::watch
