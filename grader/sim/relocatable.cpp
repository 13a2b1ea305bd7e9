#include "grader/sim/relocatable.h"

#include <algorithm>
#include <set>

#include "grader/platform/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "__cudaRegisterLinkedBinary_";

/// Names in a file's symbol table, which is text between NULs in an object as well as in an archive.
void collect(const fs::path& file, std::set<std::string>& names) {
  const std::string bytes = read_file(file);
  for (std::size_t at = bytes.find(kPrefix); at != std::string::npos; at = bytes.find(kPrefix, at + 1))
    names.insert(bytes.substr(at, bytes.find('\0', at) - at));
}

}  // namespace

std::string write_relocatable_stub(const fs::path& folder, const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words)
    if ((word.ends_with(".o") || word.ends_with(".a")) && fs::exists(word)) collect(word, names);
  std::string source =
      "using Registered = void (*)(void**);\n"
      "extern \"C\" {\n"
      "void __cudaLadderLinkedBinary(Registered, const void*);\n";
  for (const std::string& name : names)
    source += "void " + name +
              "(Registered callback, void* fatbin, void*, void (*)(void*)) { "
              "__cudaLadderLinkedBinary(callback, fatbin); }\n";
  const fs::path file = folder / "linked.cpp";
  write_file(file, source + "}\n");
  return file.string();
}

std::string relocatable_hint(const std::string& messages) {
  if (messages.find("is treated as a static definition") == messages.npos) return {};
  return "hint: without -rdc=true every file has device variables of its own, also where they are declared "
         "extern: compile with -rdc=true\n";
}

}  // namespace ladder::cli
