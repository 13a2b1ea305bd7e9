#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

CLI::App* Commands::add(const std::string& name, const std::string& summary, const std::string& examples,
                        Action action, CLI::App* parent) {
  CLI::App* command = (parent != nullptr ? parent : &app_)->add_subcommand(name, summary);
  command->footer(examples.empty() ? exit_code_help() : "Examples:\n" + examples + "\n" + exit_code_help());
  if (action) command->callback([this, action] { chosen_ = action; });
  return command;
}

}  // namespace ladder::cli
