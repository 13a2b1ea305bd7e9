// Students' names that a reader cannot tell apart, though a computer can.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli::grade {

/// What a name looks like at a glance: two names that differ by the size of letters, by marks on letters, by
/// invisible characters, or by letters of Latin, Greek, Cyrillic and Armenian that are drawn alike, have the
/// same look.
std::string look_of(std::string_view name);

/// A name in which everything that can be mistaken for something else is shown by its code point, as
/// <U+0430>, and bytes that are no UTF-8 as <0xFF>; plain letters stay.
std::string name_by_code_points(std::string_view name);

/// Students' names as they may stand in reports: printable_name(), by code points where two would look alike,
/// and no two the same.
/// @param names  as files, folders or lists give them
/// @param notes  gets a line for names that look alike
std::vector<std::string> told_apart(const std::vector<std::string>& names, std::vector<std::string>& notes);

}  // namespace ladder::cli::grade
