// The commands below `ladder dev`.
#pragma once

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

void add_dev_sync(Commands& commands, CLI::App* dev);
void add_dev_check(Commands& commands, CLI::App* dev);
void add_dev_record(Commands& commands, CLI::App* dev);
void add_dev_pictures(Commands& commands, CLI::App* dev);
void add_dev_edition(Commands& commands, CLI::App* dev);
void add_dev_site(Commands& commands, CLI::App* dev);

/// The rungs that a lesson's solutions folder holds, as stems, by number; not only those lesson.toml knows.
std::vector<std::string> rung_stems(const std::filesystem::path& folder);

}  // namespace ladder::cli
