// What each key of `ladder watch` does.
#include "grader/actions/diff.h"
#include "grader/actions/hint.h"
#include "grader/actions/lens.h"
#include "grader/actions/reset.h"
#include "grader/course/rung_files.h"
#include "grader/present/map_view.h"
#include "grader/present/predictions_view.h"
#include "grader/watch/views.h"
#include "grader/watch/watcher.h"

namespace ladder::cli::watch {

void Watch::take_keys() {
  if (!keys_ready_) return;
  const std::optional<std::string> typed = console_.keys();
  if (!typed) {
    over_ = ExitCode::interrupted;  // the terminal is gone
    return;
  }
  for (const char key : *typed) {
    if (over_) return;
    if (prompt_ && key == ' ' && page_.waiting() > 0) {  // what the question is about may not all be seen yet
      page_.more();
    } else if (!prompt_) {
      press(key);
    } else if (const auto answer = prompt_->press(key)) {
      const Prompt done = std::move(*prompt_);
      prompt_.reset();
      done.finish(*answer);
    }
  }
}

void Watch::press(char key) {
  static constexpr std::string_view kForViews = "hltdmnr";
  if (task_ && !may_wait_ && kForViews.find(key) != std::string_view::npos) {
    queued_key_ = key;  // the verdict, or what takes no time, first
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
      if (!task_ || may_wait_) check();
      break;
    case '?':
      page_.add({""});
      page_.more();
      page_.add(key_help(context_.out, solutions()));
      break;
    case 'n':
      next();
      break;
    default:
      press_for_view(key);
  }
}

void Watch::press_for_view(char key) {
  const Selection at = at_;
  switch (key) {
    case 'h':
      hint();
      break;
    case 'l':
      view("running it under the lens",
           [at](Context& context) { return show_lens(context, at, Side::student, {}, LensPart::all); });
      break;
    case 't':
      view("climbing the ladder", [at, lesson_run = options_.lesson_run](Context& context) {
        Selection all{at.lesson, {}, false};
        for (const RungInfo& rung : at.lesson->rungs) all.rungs.push_back(&rung);
        RunOptions options;
        static_cast<LessonRunOptions&>(options) = lesson_run;
        return run_and_show(context, all, options);
      });
      break;
    case 'd':
      if (!solutions()) {
        page_.add({"", context_.out.paint(Tone::warn, "This edition of the course has no solutions.")});
        break;
      }
      if (!passed_ && !is_tried(context_.progress(), lesson(), rung())) {
        page_.add({""});
        page_.add(
            wrap(fmt::format("{} was not tried yet: its solution opens when a changed file was saved and "
                             "checked. ./ladder diff {} --anyway shows it now.",
                             id(), id()),
                 static_cast<std::size_t>(context_.out.width)));
        break;
      }
      if (passed_) return diff();
      prompt_ =
          Prompt::yes_or_no(id() + " has not passed. Show its solution all the same?", [this](bool yes) {
            if (yes) diff();
          });
      break;
    case 'p':
      predict();
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

void Watch::hint() {
  page_.add({""});
  page_.more();
  const std::optional<NextHint> next = choose_hint(context_, lesson(), rung());
  start(
      "",
      [at = at_, next](Context& context) {
        if (next)
          show_hint(context, *at.lesson, at.rung(), next->at);
        else
          context.line("There are no hints for this rung. Its lesson's text may help: {}",
                       context.shown(at.lesson->readme));
        return ExitCode::passed;
      },
      [this, next](ExitCode) {
        if (!next) return idle("");
        const int todo = next->at.hint->todo;
        const std::string which = fmt::format("hint {} of {}{}", next->at.stage, next->at.count,
                                              todo == 0 ? "" : fmt::format(" for TODO({})", todo));
        idle(next->left > 0                                    ? which + "; h for the next"
             : !solutions()                                    ? which + ", the last"
             : is_tried(context_.progress(), lesson(), rung()) ? which + ", the last; d shows the solution"
                                                               : which + ", the last; d after a first try");
      });
}

void Watch::diff() {
  view("", [at = at_](Context& context) {
    show_diff(context, *at.lesson, at.rung());
    return ExitCode::passed;
  });
}

void Watch::predict() {
  const auto predictions = predictions_of(context_.project().state(), context_.progress(), lesson(), rung());
  const auto open = std::find_if(predictions.begin(), predictions.end(),
                                 [](const Prediction& prediction) { return !prediction.said; });
  if (open == predictions.end()) {
    page_.add({""});
    if (predictions.empty()) page_.add({"  The lesson asks for no number of this rung."});
    return page_.add(prediction_lines(context_, lesson(), rung()));
  }
  const Question& question = *open->question;
  prompt_ = Prompt::line(
      question_text(question) + " (Enter: not now): ", [this, at = at_, &question](const std::string& typed) {
        if (typed.empty()) return;
        if (const auto value = number_from(typed))
          context_.progress().set_prediction(*at.lesson, at.rung(), question.key(), *value);
        else
          status_ = context_.out.paint(Tone::warn, "that is no number");
        predict();
      });
}

void Watch::list() {
  if (task_) task_->cancel();
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

Selection Watch::first_open(const LessonInfo& lesson) {
  for (const RungInfo& rung : lesson.rungs)
    if (state_of(context_.progress(), lesson, rung) != RungState::passed) return {&lesson, {&rung}, true};
  return {&lesson, {&lesson.rungs.front()}, true};
}

void Watch::reset() {
  page_.begin();
  start(
      "",
      [at = at_](Context& context) {
        reset_rung(context, *at.lesson, at.rung());
        context.line();
        return ExitCode::passed;
      },
      [this](ExitCode code) {
        if (code != ExitCode::passed) return idle("not reset");
        passed_ = false;
        idle("");
        show_task();
      });
}

}  // namespace ladder::cli::watch
