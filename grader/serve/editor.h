// The command that opens the student's own editor at a line.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ladder::cli::serve {

/// Made from LADDER_EDITOR, which may name {file} and {line}; else, in the terminal of VS Code, its `code`;
/// else from VISUAL or EDITOR, where that is an editor with windows of its own. One that needs a terminal has
/// none here.
/// @param variable  of the environment: its value, empty where it is not set
/// @return nothing where there is no such editor
std::vector<std::string> editor_command(const std::filesystem::path& file, int line,
                                        const std::function<std::string(const char*)>& variable);

/// What to set where there is none.
std::string editor_advice();

}  // namespace ladder::cli::serve
