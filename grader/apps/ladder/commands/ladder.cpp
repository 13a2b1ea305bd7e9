#include "grader/apps/ladder/commands/ladder.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/build/toolchain.h"
#include "grader/course/edition.h"
#include "grader/course/names.h"
#include "grader/platform/process/open_files.h"
#include "grader/platform/process/run_process.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

void print_failure(const Context& context, const Terminal& terminal, const Failure& failure) {
  std::fflush(stdout);
  if (failure.code() == ExitCode::interrupted) {
    std::fputs("interrupted\n", stderr);
    return;
  }
  std::fprintf(stderr, "%s %s\n", terminal.paint(Tone::bad, "ladder:").c_str(), failure.what());
  for (const std::string& line : wrap(failure.advice(), static_cast<std::size_t>(terminal.width))) {
    const bool elsewhere = packed() && line.find("./ladder") != std::string::npos;  // no such command here
    if (!line.empty() && !elsewhere) std::fprintf(stderr, "%s\n", context.as_typed(line).c_str());
  }
}

/// What the parser did not like, and the command that was probably meant.
int usage_error(const Context& context, const CLI::App& app, const CLI::ParseError& error,
                const Terminal& terminal) {
  std::string message = error.what(), advice = "./ladder --help shows the commands.";
  const std::vector<std::string> extra = app.remaining();
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !extra.empty() && extra.front().rfind('-', 0) != 0) {
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
    message = "no command is called \"" + extra.front() + "\"";
    for (const std::string& name : nearest(extra.front(), known))
      advice.insert(0, fmt::format("Did you mean ./ladder {}?\n", name));
  } else if (!chosen.empty()) {
    advice = "./ladder " + chosen.front()->get_name() + " --help shows how to use it.";
  }
  print_failure(context, terminal, Failure(ExitCode::usage, message, advice));
  return static_cast<int>(ExitCode::usage);
}

/// Cuts from the command line what follows `sim` or `litmus`: that is nvcc's and the program's, and only
/// partly ours.
std::vector<std::string> take_words_of(const std::string& command, std::vector<std::string>& words) {
  auto at = words.begin();
  while (at != words.end() && at->starts_with('-')) at += *at == "--color" || *at == "--colour" ? 2 : 1;
  if (at >= words.end() || *at != command) return {};
  std::vector<std::string> rest(at + 1, words.end());
  if (!rest.empty() && (rest[0] == "--help" || rest[0] == "-h")) return {};
  words.erase(at + 1, words.end());
  if (words.size() > 1) rest.insert(rest.begin(), words.begin(), at);  // --color WHEN
  return rest;
}

/// "ladder 0.9.0, commit 1a2b3c4, CUDA 13.0, JSON schema 1": what a report of a bug has to say.
std::string version_text(Context& context) {
  std::string text = "ladder " LADDER_VERSION;
  try {
    const Project& project = context.project();
    if (const std::optional<Edition> edition = edition_of(project.root)) {
      text += fmt::format(", {} edition", edition->name);
      if (!edition->commit.empty()) text += " of commit " + edition->commit;
    }
    const Captured commit =
        project.packaged() ? Captured{}
                           : capture({"git", "-C", project.root.string(), "rev-parse", "--short", "HEAD"});
    if (commit.status.ok() && !commit.output.empty() && has_solutions(project))
      text += ", commit " + commit.output.substr(0, commit.output.find('\n'));
    if (const std::string cuda = toolchain(project).value("cuda_version", ""); !cuda.empty())
      text += ", CUDA " + cuda;
  } catch (const Failure&) {  // no course here: the number is what there is to say
  }
  return text + ", JSON schema 1";
}

/// All commands, in the order of --help.
void add_all(Commands& commands, std::vector<std::string> sim_words, std::vector<std::string> litmus_words) {
  add_list(commands);
  add_run(commands);
  add_watch(commands);
  add_serve(commands);
  add_demo(commands);
  add_progress(commands);
  add_report(commands);
  add_hint(commands);
  add_explain(commands);
  add_hunt(commands);
  add_lens(commands);
  add_roofline(commands);
  add_reset(commands);
  add_diff(commands);
  add_update(commands);
  add_sim(commands, std::move(sim_words));
  add_litmus(commands, std::move(litmus_words));
  add_bundle(commands);
  add_init(commands);
  add_setup(commands);
  add_completion(commands);
  add_doctor(commands);
  add_grade(commands);
  add_grade_unit(commands);
  add_test(commands);
  add_dev(commands);
}

}  // namespace

int run_ladder(int argc, char** argv) {
  allow_open_files();
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> sim_words = take_words_of("sim", words);
  std::vector<std::string> litmus_words = take_words_of("litmus", words);
  Context context;
  CLI::App app(
      "CUDA Ladder: learn CUDA C++ one rung at a time, with or without a GPU.\n"
      "Alone, `ladder` shows the course and the next step.",
      "ladder");
  app.set_version_flag("--version", [&context] { return version_text(context); });
  app.footer(exit_code_help());
  app.fallthrough();
  app.require_subcommand(0, 1);
  ColourWish wish = ColourWish::automatic;
  const std::map<std::string, ColourWish> wishes = {
      {"auto", ColourWish::automatic}, {"always", ColourWish::always}, {"never", ColourWish::never}};
  app.add_option("--color,--colour", wish, "auto, always or never; auto looks at the terminal and NO_COLOR")
      ->transform(CLI::CheckedTransformer(wishes, CLI::ignore_case).description(""))
      ->type_name("WHEN");

  Commands commands(app, context);
  add_all(commands, std::move(sim_words), std::move(litmus_words));
  Terminal errors = Terminal::of(2);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(std::move(words));
    context.out = Terminal::of(1, wish);
    errors = Terminal::of(2, wish);
    // What these write is for everybody, or for programs.
    for (const CLI::App* command : app.get_subcommands())
      if (command->get_name() == "dev" || command->get_name().starts_with("grade")) {
        context.languages.clear();
        language::speak_english();
      }
    const Commands::Action action = commands.chosen();
    return static_cast<int>(action ? action(context) : show_map(context));
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : usage_error(context, app, error, errors);
  } catch (const Failure& failure) {
    print_failure(context, errors, failure);
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr,
                 "ladder: a mistake in ladder itself: %s\nPlease report it with the command you typed.\n",
                 error.what());
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace ladder::cli
