// --arch, for every command that compiles.
#include "grader/build/architecture.h"

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

void add_architecture(CLI::App* command, Architecture& architecture) {
  const auto read = [](std::string& text) {
    const Architecture known = read_architecture(text);
    if (known.empty()) return '"' + text + "\" is no architecture such as compute_80";
    text = known;
    return std::string();
  };
  command->add_option("--arch", architecture, "compile for compute_80, say, and not for what the device has")
      ->transform(CLI::Validator(read, "", "architecture"))
      ->type_name("ARCH");
}

}  // namespace ladder::cli
