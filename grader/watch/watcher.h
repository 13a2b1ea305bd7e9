// The watcher's state and what it does about saves, keys and signals; one thread, one loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "grader/watch/background_task.h"
#include "grader/watch/console.h"
#include "grader/watch/page.h"
#include "grader/watch/prompt.h"
#include "grader/watch/second_screen.h"
#include "grader/watch/watch.h"

namespace ladder::cli::watch {

class Watch {
 public:
  Watch(Context& context, Selection start, const WatchOptions& options);
  ExitCode run();

 private:
  const LessonInfo& lesson() const { return *at_.lesson; }
  const RungInfo& rung() const { return at_.rung(); }
  std::string id() const { return lesson().id(rung()); }
  RungState state() { return state_of(context_.progress(), lesson(), rung()); }
  std::string contents() const;
  bool solutions() const;  ///< whether there are any to look at

  // what is on the screen
  void fit_width() { context_.out.width = std::clamp(page_.size().columns, 40, 120); }
  void show_footer();
  std::string status();

  /// The keys as part of the page, where no footer can be drawn.
  void keys_for_dumb_terminal();
  void idle(const std::string& what);

  // rungs
  void go_to(Selection next);
  void show_task();
  void next();

  // work
  /// Starts work; what runs now is ended first.
  void start(std::string doing, std::function<ExitCode(Context&)> work, std::function<void(ExitCode)> then);
  void start_waiting();
  void take_job();
  void saved();
  void check();
  void checked(ExitCode code);

  /// A page of its own, made by another command.
  void view(const std::string& doing, std::function<ExitCode(Context&)> work);

  // keys
  void take_keys();
  void press(char key);
  void press_for_view(char key);

  /// Below what is there: a hint is read beside the verdict.
  void hint();
  void diff();
  /// Asks for the numbers that were not said yet, one after the other, and shows all that were.
  void predict();
  void list();
  Selection first_open(const LessonInfo& lesson);
  void reset();

  // the loop
  void wait();
  void take_signals();

  struct Work {
    std::string doing;
    std::function<ExitCode(Context&)> work;
    std::function<void(ExitCode)> then;
  };

  Context& context_;
  const WatchOptions& options_;
  Console console_;
  Page page_;
  std::optional<SecondScreen> second_screen_;
  Selection at_;
  std::unique_ptr<Saves> saves_;
  std::unique_ptr<BackgroundTask> task_;
  std::optional<Work> waiting_work_;  ///< starts when what runs has ended
  std::function<void(ExitCode)> then_;
  std::string doing_, status_;
  std::optional<std::string> checked_;  ///< contents that were checked last, or are being
  Clock::time_point began_{};
  bool passed_ = false, keys_ready_ = false;
  bool may_wait_ = false;  ///< what runs may be ended for something else that was asked for
  char queued_key_ = 0;
  std::optional<Prompt> prompt_;
  std::optional<ExitCode> over_;
};

}  // namespace ladder::cli::watch
