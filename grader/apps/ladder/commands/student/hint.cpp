// ladder hint: one stage of help at a time, for the task at hand.
#include "grader/actions/hint.h"

#include <algorithm>
#include <map>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"

namespace ladder::cli {
namespace {

struct HintOptions {
  std::string rung;
  int todo = 0;
  int stage = 0;
  bool all = false;
  bool yes = false;
};

/// One run of the command, about one rung.
class Hints {
 public:
  Hints(Context& context, const HintOptions& options, const LessonInfo& lesson, const RungInfo& rung)
      : context_(context), options_(options), lesson_(lesson), rung_(rung), open_(todos_left(lesson, rung)) {
    if (options.todo > 0) {
      todo_ = options.todo;
      expect_todo();
    }
  }

  ExitCode run() {
    const std::vector<StagedHint> of_all = todo_ ? offered_hints(rung_, open_, todo_) : all_hints(rung_);
    if (of_all.empty()) return none();
    if (options_.stage > 0) return stage(of_all);
    if (options_.all) return all(of_all);
    context_.wrapped(detour_ahead(context_.progress(), lesson_, rung_));
    show_hint(context_, lesson_, rung_, choose_hint(context_, lesson_, rung_, todo_)->at);
    return tell_next();
  }

 private:
  std::string id() const { return lesson_.id(rung_); }
  std::string code(const std::string& text) const { return context_.out.paint(Tone::code, text); }
  /// "./ladder hint 05.3", with the TODO where one was named.
  std::string again() const {
    return "./ladder hint " + id() + (todo_ ? fmt::format(" --todo {}", *todo_) : "");
  }
  HintsShown shown() const {
    return [this](int todo) { return context_.progress().hints_shown(lesson_, rung_, todo); };
  }

  /// @throws Failure (usage) where the rung has no such task
  void expect_todo() const {
    const std::vector<Todo> tasks = find_todos(skeleton_if_there(lesson_, rung_).value_or(""));
    const bool known =
        std::any_of(tasks.begin(), tasks.end(), [&](const Todo& task) { return task.number == *todo_; });
    if (!known)
      throw Failure(ExitCode::usage, fmt::format("{} has no TODO({})", id(), *todo_),
                    tasks.empty() ? "" : fmt::format("Its last is TODO({}).", tasks.back().number));
  }

  ExitCode none() const {
    if (todo_ && !rung_.hints.empty())
      context_.line("TODO({}) of {} has no hints of its own; {} shows those of the rung.", *todo_, id(),
                    code("./ladder hint " + id()));
    else
      context_.line("{} has no hints. Its lesson's text may help: {}", id(), context_.shown(lesson_.readme));
    return ExitCode::passed;
  }

  ExitCode stage(const std::vector<StagedHint>& of_all) {
    const int count = static_cast<int>(of_all.size());
    if (options_.stage > count)
      throw Failure(ExitCode::usage, fmt::format("{}{} has {} hints; there is no stage {}",
                                                 todo_ ? fmt::format("TODO({}) of ", *todo_) : "", id(),
                                                 count, options_.stage));
    show_hint(context_, lesson_, rung_, of_all[static_cast<std::size_t>(options_.stage - 1)]);
    return tell_next();
  }

  ExitCode all(const std::vector<StagedHint>& of_all) {
    const std::string question =
        fmt::format("Show all {} hints of {}, up to the shape of the code?", of_all.size(), id());
    if (!options_.yes && !confirm(context_, question)) {
      context_.line("Nothing shown. {} shows one at a time; --all --yes shows all.", again());
      return ExitCode::passed;
    }
    for (const StagedHint& hint : of_all) show_hint(context_, lesson_, rung_, hint);
    return tell_next();
  }

  /// How many are left, and the next command.
  ExitCode tell_next() {
    const std::vector<StagedHint> offered = offered_hints(rung_, open_, todo_);
    if (const std::string left = left_of(offered); !left.empty()) {
      context_.line("{}; {} shows the next one.", left, code(again()));
      return ExitCode::passed;
    }
    const int about = offered.empty() ? 0 : offered.back().hint->todo;
    context_.line("That was the last hint{}.",
                  about == 0 || open_.empty() ? "" : fmt::format(" for TODO({})", about));
    if (const auto other = other_todo_with_hints(rung_, open_, about, shown()))
      context_.line("TODO({0}) has some: {1}", *other,
                    code(fmt::format("./ladder hint {} --todo {}", id(), *other)));
    tell_solution();
    return ExitCode::passed;
  }

  /// "1 hint is left for TODO(1), 2 for TODO(2)": counted as they are numbered; nothing where all are shown.
  std::string left_of(const std::vector<StagedHint>& offered) {
    std::map<int, int> left;
    for (const StagedHint& at : offered)
      if (at.stage > shown()(at.hint->todo)) ++left[at.hint->todo];
    std::string words;
    for (const auto& [todo, count] : left)
      words += fmt::format("{}{}{} for {}", words.empty() ? "" : ", ", count,
                           !words.empty() ? ""
                           : count == 1   ? " hint is left"
                                          : " hints are left",
                           todo == 0 ? "the rung" : fmt::format("TODO({})", todo));
    return words;
  }

  void tell_solution() const {
    if (!has_solutions(context_.project())) {
      context_.line("This edition has no solutions.");
    } else if (is_tried(context_.progress(), lesson_, rung_)) {
      context_.line("{} shows the solution beside your file.", code("./ladder diff " + id()));
    } else {
      context_.line("Try it once, with {}: after that,", code("./ladder run " + id()));
      context_.line("{} shows the solution beside your file.", code("./ladder diff " + id()));
    }
  }

  Context& context_;
  const HintOptions& options_;
  const LessonInfo& lesson_;
  const RungInfo& rung_;
  std::vector<Todo> open_;
  std::optional<int> todo_;
};

ExitCode hint(Context& context, const HintOptions& options) {
  const Selection selection = find_rung(context.course(), options.rung);
  return Hints(context, options, *selection.lesson, selection.rung()).run();
}

}  // namespace

void add_hint(Commands& commands) {
  const auto [command, options] = commands.add(
      "hint", "help in stages: each call shows the next one",
      "  ./ladder hint 09.3              the first hint, then the second, ...\n"
      "  ./ladder hint 09.3 --todo 2     those for TODO(2); without it, for the first that is open\n"
      "  ./ladder hint 09.3 --stage 1    the first one again\n"
      "  ./ladder hint 09.3 --all        all of them, after a question\n",
      hint);
  command->add_option("rung", options.rung, "a rung, such as 09.3 or reduction.interleaved")->required();
  command->add_option("--todo", options.todo, "hints for this TODO")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  CLI::Option* stage =
      command->add_option("--stage", options.stage, "show this stage (from 1)")->check(CLI::PositiveNumber);
  command->add_flag("--all", options.all, "show every stage")->excludes(stage);
  command->add_flag("-y,--yes", options.yes, "do not ask");
}

}  // namespace ladder::cli
