// Linking: one module from the files of a program that was compiled with relocatable device code (-rdc=true).
#pragma once

#include <vector>

#include "simulator/ptx/program.h"

namespace sim::ptx {

/// Puts modules together. Names that several files share mean one thing: the first definition. Names private
/// to a file that occur in others too are renamed. What is defined nowhere stays a declaration.
/// @param modules  one per file, at least one
Module link(std::vector<Module> modules);

}  // namespace sim::ptx
