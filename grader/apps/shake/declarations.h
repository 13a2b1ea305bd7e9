#pragma once

#include <cstddef>
#include <vector>

#include "grader/apps/shake/tokens.h"

namespace ladder::shake {

/// A declaration at namespace scope. It is kept once one of the names it declares is in something that is
/// kept, and all of the classes that it is about are, too: nobody can use a specialisation for a type that
/// nobody names.
struct Declaration {
  std::size_t begin, end;  // its tokens
  std::vector<int> declares = {};
  int member = -1;              // of the first of these, if that is a class
  std::vector<int> about = {};  // of these only those count that are classes
  bool always = false, dropped = false, kept = false, is_class = false;
  bool is_operator = false;  // has no name, and is needed once one of the classes that it declares is
};

/// The declarations of a text at namespace scope, in its order. What lies between two is of the namespaces
/// around them.
std::vector<Declaration> declarations_of(const std::vector<Token>& tokens, Names& names);

}  // namespace ladder::shake
