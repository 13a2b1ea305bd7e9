// Every command of `ladder`, one function and one file each, in a folder by whom it is for; ladder.cpp lists
// them in the order of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grader/course/names.h"
#include "grader/run/context.h"

namespace ladder::cli {

/// A command adds itself to the parser and says what to run when it was chosen.
class Commands {
 public:
  Commands(CLI::App& app, Context& context) : app_(app), context_(context) {}

  using Action = std::function<ExitCode(Context&)>;
  /// Adds `ladder NAME`.
  /// @param examples  lines for the end of its --help
  CLI::App* add(const std::string& name, const std::string& summary, const std::string& examples,
                Action action, CLI::App* parent = nullptr);

  /// A command whose parser fills in its options, and the options.
  template <class Options>
  struct WithOptions {
    CLI::App* command;
    Options& options;
  };
  /// The same for a command that has options: @p action gets them as they were parsed.
  template <class Options>
  WithOptions<Options> add(const std::string& name, const std::string& summary, const std::string& examples,
                           ExitCode (*action)(Context&, const Options&), CLI::App* parent = nullptr) {
    auto options = std::make_shared<Options>();
    const auto run = [action, options](Context& context) { return action(context, *options); };
    return {add(name, summary, examples, Action(run), parent), *options};
  }
  Action chosen() const { return chosen_; }

 private:
  CLI::App& app_;
  Context& context_;
  Action chosen_;
};

ExitCode show_map(Context& context);  ///< `ladder` alone
void add_list(Commands& commands);
void add_run(Commands& commands);
void add_watch(Commands& commands);
void add_serve(Commands& commands);  ///< serve and read
void add_demo(Commands& commands);
void add_progress(Commands& commands);
void add_report(Commands& commands);
void add_bundle(Commands& commands);
void add_init(Commands& commands);
void add_setup(Commands& commands);
void add_completion(Commands& commands);
void add_hint(Commands& commands);
void add_explain(Commands& commands);
void add_hunt(Commands& commands);
void add_lens(Commands& commands);
void add_roofline(Commands& commands);
void add_reset(Commands& commands);
void add_diff(Commands& commands);
void add_update(Commands& commands);
/// @param words  what follows `sim` on the command line; nvcc's options and the program's own among them
void add_sim(Commands& commands, std::vector<std::string> words);
void add_litmus(Commands& commands, std::vector<std::string> words);  ///< likewise
void add_doctor(Commands& commands);
void add_grade(Commands& commands);
void add_grade_unit(Commands& commands);
void add_test(Commands& commands);
void add_dev(Commands& commands);  ///< dev check, sync, record, pictures, edition

/// The option --arch, whose value is read_architecture()'s.
void add_architecture(CLI::App* command, std::string& architecture);

/// Asks a yes-or-no question on the terminal. Anything but y or yes is no, and so is nobody there to answer.
bool confirm(const Context& context, const std::string& question);

}  // namespace ladder::cli
