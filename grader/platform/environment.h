// Environment variables.
#pragma once

#include <initializer_list>
#include <string>

namespace ladder::cli {

/// A variable's value; empty where it is not set.
std::string environment(const char* name);

/// The value of the first of some variables that is set to something.
std::string first_in_environment(std::initializer_list<const char*> names);

}  // namespace ladder::cli
