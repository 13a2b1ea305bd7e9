// JSON that lies in a file which somebody may have broken.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ladder::cli {

/// The number of what `ladder` writes for programs, the value of its "schema": see docs/schemas/README.md.
inline constexpr int kSchema = 1;

/// What a text says; `discarded` where it is no JSON, or is
/// nested so deep that only malice or a defect explains it.
nlohmann::json parse_json(std::string_view text);

/// What a file says; null where there is no file, `discarded` where it is no JSON, or no ordinary file (a
/// link that leads to itself, a device, a pipe).
nlohmann::json load_json(const std::filesystem::path& file);

}  // namespace ladder::cli
