// ladder completion: what a shell needs to complete commands, options, lessons and rungs.
//
// The scripts are a few lines each; what fits is decided here, by the hidden command __complete, so that a
// new command or lesson is completed by its being there.
#include <algorithm>
#include <string_view>

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kBash = R"sh(# CUDA Ladder, for bash:  source <(./ladder completion bash)
_ladder() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" \
    -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ladder ladder
)sh";

constexpr std::string_view kZsh = R"sh(# CUDA Ladder, for zsh:  source <(./ladder completion zsh)
_ladder() {
  local -a fitting
  fitting=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a fitting || _files
}
(( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
compdef _ladder ladder
)sh";

constexpr std::string_view kFish = R"sh(# CUDA Ladder, for fish:  ./ladder completion fish | source
function __ladder_fitting
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c ladder -a '(__ladder_fitting)'
)sh";

using Words = std::vector<std::string>;

void add_commands(const CLI::App& app, Words& fitting) {
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (!command->get_group().empty()) fitting.push_back(command->get_name());
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (command->get_name() == name) return command;
  return nullptr;
}

void add_options(const CLI::App& app, Words& fitting) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) fitting.push_back("--" + name);
}

/// Values of the option that @p word is, where they are known.
bool add_values(const CLI::App& app, const std::string& word, Words& fitting) {
  if (!word.starts_with("--")) return false;
  const CLI::Option* option = app.get_option_no_throw(word);
  if (option == nullptr || option->get_items_expected_max() == 0) return false;  // a flag takes none
  if (option->get_type_name().starts_with("WHICH")) fitting.insert(fitting.end(), {"auto", "sim", "gpu"});
  return true;
}

/// Lessons by number and name; the rungs of a lesson once it has been typed.
void add_rungs(const Course& course, std::string_view typed, Words& fitting) {
  for (const LessonInfo& lesson : course.lessons)
    for (const std::string& name : {lesson.id(), lesson.short_name}) {
      fitting.push_back(name);
      if (typed != name && !typed.starts_with(name + ".")) continue;
      for (const RungInfo& rung : lesson.rungs)
        fitting.push_back(name == lesson.id() ? lesson.id(rung) : name + "." + rung.name);
    }
}

bool takes_rungs(const CLI::App& command) {
  for (const char* name : {"rung", "lesson"})
    if (command.get_option_no_throw(name) != nullptr) return true;
  return false;
}

/// What may stand where the last of @p words is begun.
Words fitting_for(const CLI::App& app, const Words& words, Context& context) {
  Words fitting;
  const std::string& typed = words.back();
  const CLI::App* command = &app;
  std::size_t at = 0;
  for (; at + 1 < words.size(); ++at) {
    const CLI::App* next = subcommand(*command, words[at]);
    if (next == nullptr) break;
    command = next;
  }
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  if (add_values(*command, before, fitting) || add_values(app, before, fitting)) return fitting;
  if (typed.starts_with("-")) {
    add_options(*command, fitting);
    if (command != &app) add_options(app, fitting);
  } else if (!command->get_subcommands(nullptr).empty()) {
    if (at + 1 == words.size()) add_commands(*command, fitting);
  } else if (command->get_name() == "completion") {
    fitting = {"bash", "zsh", "fish"};
  } else if (takes_rungs(*command)) {
    add_rungs(context.course(), typed, fitting);
  }
  return fitting;
}

}  // namespace

void add_completion(Commands& commands) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = commands.add(
      "completion", "Tab completes commands, lessons and rungs",
      "  source <(./ladder completion bash)       in ~/.bashrc or ~/.zshrc (zsh)\n"
      "  ./ladder completion fish | source        in config.fish\n",
      [shell](Context& context) {
        const std::string_view script = *shell == "zsh" ? kZsh : *shell == "fish" ? kFish : kBash;
        context.line("{}", script.substr(0, script.size() - 1));
        return ExitCode::passed;
      });
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  auto words = std::make_shared<Words>();
  const CLI::App* app = command->get_parent();
  commands
      .add("__complete", "for the scripts of `completion`", "",
           [words, app](Context& context) {
             Words fitting = fitting_for(*app, *words, context);
             std::erase_if(fitting,
                           [&](const std::string& word) { return !word.starts_with(words->back()); });
             for (const std::string& word : fitting) context.line("{}", word);
             return ExitCode::passed;
           })
      ->group("")  // not in --help
      ->add_option("words", *words)
      ->required();
}

}  // namespace ladder::cli
