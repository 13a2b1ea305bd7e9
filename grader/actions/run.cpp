// Running rungs and showing what came of it.
#include "grader/actions/run.h"

#include <algorithm>
#include <cstdio>

#include "grader/course/edition.h"
#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/present/ladder_view.h"
#include "grader/present/map_view.h"
#include "grader/present/verdict_view.h"
#include "grader/records/measured.h"
#include "grader/records/modelled.h"
#include "grader/records/results.h"
#include "grader/records/times.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

bool failed(const Verdict& verdict) {
  return verdict.outcome != Outcome::passed && verdict.outcome != Outcome::not_run;
}

void note_on_stderr(const Context& context, const std::string& text) {
  std::fflush(stdout);
  for (const std::string& line : wrap(tr("note: {}", text), static_cast<std::size_t>(context.out.width)))
    std::fprintf(stderr, "%s\n", line.c_str());
}

/// What is kept of a lesson's solutions. A file that cannot be read is a note, and no reason not to run.
template <class Kept>
std::optional<Kept> kept_of(Context& context, const LessonInfo& lesson,
                            std::optional<Kept> (*load)(const LessonInfo&)) {
  try {
    return load(lesson);
  } catch (const Failure& failure) {
    note_on_stderr(context, failure.what());
    return std::nullopt;
  }
}

/// Shows results as they come.
class Show {
 public:
  Show(Context& context, const Selection& selection, const RunOptions& options)
      : context_(context),
        selection_(selection),
        options_(options),
        recorded_(kept_of(context, *selection.lesson, load_recorded)),
        view_(std::in_place, *selection.lesson, context.out, recorded_) {}

  LessonRunEvents events() {
    LessonRunEvents events;
    if (options_.json == "-") return events;
    events.note = [this](const std::string& text) {
      context_.line("{} {}", context_.out.paint(Tone::warn, "note:"), text);
    };
    events.device = [this](const RunDevice& device) { head(device); };
    events.rung = [this](const RungResult& result) { rung(result); };
    events.reference = [this](double milliseconds) {
      if (table_ && !modelled_) context_.line("{}", view_->reference_row(milliseconds));
    };
    events.baseline = [this](const Verdict& verdict) { context_.line("{}", view_->baseline_row(verdict)); };
    events.size = [this](const std::string& size) { next_size(size); };
    events.timed = [this](const Verdict& verdict) { timed(verdict); };
    return events;
  }

  const std::optional<Recorded>& recorded() const { return recorded_; }

  /// What comes below the table: notes, the first failure in full, the next command.
  void end(const LessonRunResult& result) {
    if (options_.json == "-") return;
    if (table_)
      foot();
    else if (!result.rungs.empty())  // behind its times at every size
      show_solution_times(context_, *selection_.lesson, *result.rungs.back().rung,
                          result.rungs.back().verdict, options_.side);
    const auto first = std::find_if(result.rungs.begin(), result.rungs.end(),
                                    [](const RungResult& r) { return failed(r.verdict); });
    if (first != result.rungs.end()) {
      if (table_) {
        context_.line();
        block(*first);
      }
      advise_after_failure(*first, result.device.seed);
    } else if (options_.side == Side::student && !result.rungs.empty()) {
      advise_after_pass(*result.rungs.back().rung);
    }
  }

 private:
  void foot() const {
    for (const std::string& line : view_->foot()) context_.line("{}", line);
  }

  void next_size(const std::string& size) {
    if (!table_) return;
    foot();
    view_.emplace(*selection_.lesson, context_.out);
    for (const std::string& line : view_->head_of_size(size, modelled_)) context_.line("{}", line);
  }

  void timed(const Verdict& verdict) {
    if (table_)
      context_.line("{}", verdict.baseline ? view_->baseline_row(verdict) : view_->row(verdict));
    else if (verdict.timing)
      context_.wrapped(timing_sentence(*verdict.timing, context_.out), "  ");
  }

  std::string path(const RungInfo& rung) const {
    return context_.shown(source_of(*selection_.lesson, rung, options_.side));
  }

  void head(const RunDevice& device) {
    modelled_ = device.modelled;
    table_ = !selection_.one_rung;
    if (table_) {
      for (const std::string& line : view_->head(device, !options_.check_only)) context_.line("{}", line);
      if (options_.check_only) context_.line();
    } else {
      context_.line("{}", context_.out.paint(Tone::dim, device_text(device)));
    }
    head_shown_ = true;
  }

  void rung(const RungResult& result) {
    if (selection_.one_rung) return block(result);
    // Where every rung was refused by the compiler, no runner said on what it would have run.
    if (!head_shown_)
      context_.line(
          "{}", context_.out.paint(Tone::strong, selection_.lesson->id() + " " + selection_.lesson->title));
    head_shown_ = table_ = true;
    const bool untouched = failed(result.verdict) && !result.open_todos.empty() &&
                           result.verdict.outcome != Outcome::build_failed;
    context_.line("{}", untouched ? view_->open_row(result.verdict, todo_sentence(result.open_todos))
                                  : view_->row(result.verdict));
  }

  void block(const RungResult& result) {
    const VerdictView view{*selection_.lesson, *result.rung,      result.verdict,
                           path(*result.rung), result.open_todos, options_.side == Side::solution};
    for (const std::string& line : verdict_block(view, context_.out)) context_.line("{}", line);
  }

  void advise_after_failure(const RungResult& result, std::uint64_t seed) {
    if (options_.side == Side::solution) return;
    const std::string id = selection_.lesson->id(*result.rung);
    const std::string run = (packed() ? "./run " : "./ladder run ") + id;
    context_.line();
    if (!packed() && result.verdict.outcome == Outcome::idea_missing)
      context_.line("  {} {}", pad_right(tr("look"), 6),
                    context_.out.paint(Tone::code, "./ladder lens " + id));
    if (!packed())
      context_.line("  {} {}", pad_right(tr("stuck"), 6),
                    context_.out.paint(Tone::code, "./ladder hint " + id));
    context_.line("  {} {}", pad_right(tr("again"), 6), context_.out.paint(Tone::code, run));
    // Every run has fresh inputs; the seed brings these back.
    const bool about_values =
        result.verdict.outcome != Outcome::build_failed && result.verdict.outcome != Outcome::idea_missing;
    if (about_values && result.open_todos.empty() && !options_.seed)
      context_.line("  {} {}", pad_right(tr("replay"), 6),
                    context_.out.paint(Tone::code, fmt::format("{} --seed {}", run, seed)));
    if (packed())
      context_.line("{}",
                    tr("Nothing is built here: mend the file where this was packed, and pack it again."));
  }

  void advise_after_pass(const RungInfo& rung) {
    if (packed()) return;  // what comes next is where it was packed
    const LessonInfo& lesson = *selection_.lesson;
    const auto code = [&](const std::string& text) { return context_.out.paint(Tone::code, text); };
    context_.line();
    const bool comparable = selection_.one_rung && has_solutions(context_.project());
    if (comparable)
      context_.line("  {} {}", pad_right(tr("compare"), 8), code("./ladder diff " + lesson.id(rung)));
    // Below a blank page is another problem.
    if (comparable && &rung != &lesson.rungs.front() && !rung.is_blank_page())
      context_.line("  {} {}", pad_right(tr("its idea"), 8),
                    code(fmt::format("./ladder diff {} --below", lesson.id(rung))));
    const std::size_t at = static_cast<std::size_t>(&rung - lesson.rungs.data()) + 1;
    if (at < lesson.rungs.size()) {
      const RungInfo& next = lesson.rungs[at];
      context_.line("  {} {} {}: {}", pad_right(tr("next"), 8), lesson.id(next), spoken(next),
                    code(path(next)));
    } else {
      if (selection_.one_rung)
        context_.line("  {} {}", pad_right(tr("ladder"), 8), code("./ladder run " + lesson.id()));
      advise_next_lesson(lesson);
    }
  }

  void advise_next_lesson(const LessonInfo& done) {
    const auto step = next_step(context_.course(), context_.progress());
    if (!step || step->lesson->number == done.number) return;
    context_.line("  {} {} {}: {}", pad_right(tr("next"), 8), step->lesson->id(*step->rung),
                  spoken(*step->rung), context_.out.paint(Tone::code, context_.shown(step->lesson->readme)));
  }

  Context& context_;
  const Selection& selection_;
  const RunOptions& options_;
  const std::optional<Recorded> recorded_;
  std::optional<LadderView> view_;  ///< one for each size
  bool table_ = false, head_shown_ = false, modelled_ = false;
};

/// For programs. What a GPU recorded stands apart from the times of a model, under a key of its own.
std::string as_text(const LessonRunResult& result, const Selection& selection,
                    const std::optional<Recorded>& recorded, Side side) {
  nlohmann::json all = to_json(result, *selection.lesson, side);
  if (result.device.modelled && recorded) all["recorded"] = to_json(*recorded, selection.rungs);
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

ExitCode exit_code(const LessonRunResult& result) {
  const auto any = [&](auto test) { return std::any_of(result.rungs.begin(), result.rungs.end(), test); };
  if (any([](const RungResult& r) { return r.verdict.outcome == Outcome::harness_failed; }))
    return ExitCode::internal;
  if (any([](const RungResult& r) { return failed(r.verdict); })) return ExitCode::failed;
  return any([](const RungResult& r) { return r.verdict.outcome == Outcome::passed; })
             ? ExitCode::passed
             : ExitCode::environment;
}

}  // namespace

void show_solution_times(Context& context, const LessonInfo& lesson, const RungInfo& rung,
                         const Verdict& verdict, Side side) {
  if (!verdict.timing || !verdict.timing->modelled) return;
  if (side == Side::student)
    if (const auto modelled = kept_of(context, lesson, load_modelled))
      if (const auto sentence = solution_sentence(*modelled, rung, *verdict.timing, context.out))
        context.wrapped(*sentence, "  ");
  if (const auto recorded = kept_of(context, lesson, load_recorded))
    if (const auto sentence = recorded_sentence(*recorded, lesson, rung, context.out))
      context.wrapped(*sentence, "  ");
}

void record_progress(Progress& progress, const Selection& selection, const LessonRunResult& result) {
  const auto note = [&](const RungResult& rung) {
    const Outcome outcome = rung.verdict.outcome;
    if (outcome == Outcome::not_run || outcome == Outcome::harness_failed) return;
    progress.record_run(*selection.lesson, *rung.rung, rung.source, to_string(outcome), result.device.kind);
  };
  // The rung noted last is where the map goes on: the first one that failed.
  const auto first_failed = std::find_if(result.rungs.begin(), result.rungs.end(),
                                         [](const RungResult& r) { return failed(r.verdict); });
  for (auto rung = result.rungs.begin(); rung != result.rungs.end(); ++rung)
    if (rung != first_failed) note(*rung);
  if (first_failed != result.rungs.end()) note(*first_failed);
  keep_results(progress.file().parent_path(), selection, result);
  keep_times(progress.file().parent_path(), result, *selection.lesson, Side::student);
}

void note_down(Context& context, const Selection& selection, const LessonRunResult& result, Side side) {
  try {
    if (side == Side::student)
      record_progress(context.progress(), selection, result);
    else
      keep_times(context.project().state(), result, *selection.lesson, side);
  } catch (const Failure& failure) {  // stderr: stdout may be for a program
    note_on_stderr(context, std::string("this was not noted down: ") + failure.what());
  }
}

ExitCode run_and_show(Context& context, const Selection& selection, const RunOptions& options) {
  TransientLine progress(context.out);
  if (options.json != "-" && selection.one_rung && options.side == Side::student && !packed())
    context.wrapped(detour_ahead(context.progress(), *selection.lesson, selection.rung()));
  Show show(context, selection, options);
  const LessonRunResult result = run_lesson(context.project(), selection, options, show.events(), progress);
  note_down(context, selection, result, options.side);
  show.end(result);
  if (options.json == "-")
    context.line("{}", as_text(result, selection, show.recorded(), options.side));
  else if (!options.json.empty())
    write_file(options.json, as_text(result, selection, show.recorded(), options.side) + "\n");
  return exit_code(result);
}

}  // namespace ladder::cli
