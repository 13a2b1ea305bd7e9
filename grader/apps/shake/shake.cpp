#include "grader/apps/shake/shake.h"

#include <algorithm>
#include <string>
#include <vector>

#include "grader/apps/shake/declarations.h"

namespace ladder::shake {
namespace {
using std::string_view;

/// What compilers use without its name in the source.
constexpr string_view kOfCompilers[] = {"initializer_list",
                                        "type_info",
                                        "size_t",
                                        "ptrdiff_t",
                                        "nullptr_t",
                                        "align_val_t",
                                        "destroying_delete_t",
                                        "tuple_size",
                                        "tuple_element",
                                        "get",
                                        "begin",
                                        "end",
                                        "dim3",
                                        "uint3",
                                        "cudaStream_t",
                                        "CUstream_st",
                                        "cudaError",
                                        "cudaError_t",
                                        "cudaConfigureCall",
                                        "cudaSetupArgument",
                                        "cudaLaunch",
                                        "cudaLaunchKernel",
                                        "__cudaPushCallConfiguration",
                                        "__cudaPopCallConfiguration",
                                        "cudaGetParameterBuffer",
                                        "cudaGetParameterBufferV2",
                                        "cudaLaunchDevice",
                                        "cudaLaunchDeviceV2",
                                        "cudaStreamPerThread",
                                        "threadIdx",
                                        "blockIdx",
                                        "blockDim",
                                        "gridDim",
                                        "warpSize",
                                        "printf",
                                        "vprintf",
                                        "malloc",
                                        "free",
                                        "memcpy",
                                        "memset",
                                        "memmove",
                                        "__assert_fail",
                                        "__assertfail",
                                        "abort",
                                        "bad_array_new_length",
                                        "terminate"};

class Reachability {
 public:
  Reachability(const std::vector<Token>& tokens, std::vector<Declaration>& declarations, Names& names)
      : tokens_(tokens),
        declarations_(declarations),
        reached_(names.size(), 0),
        waiting_(names.size()),
        classes_(names.size(), 0) {
    for (const string_view name : kOfCompilers) {
      const int number = names.of(name);
      if (number < static_cast<int>(reached_.size())) reach(number);
    }
    for (const Declaration& it : declarations_)
      if (it.is_class)
        for (const int name : it.declares) classes_[static_cast<std::size_t>(name)] = 1;
  }

  void run() {
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
      Declaration& it = declarations_[i];
      if (it.dropped) continue;
      const auto is_none = [&](int name) { return !classes_[static_cast<std::size_t>(name)]; };
      std::erase_if(it.about, is_none);
      if (it.is_operator) std::erase_if(it.declares, is_none);
      if (it.member >= 0 && !classes_[static_cast<std::size_t>(it.declares.front())])
        it.declares.push_back(it.member);
      for (const int name : it.declares) waiting_[static_cast<std::size_t>(name)].push_back(i);
      for (const int name : it.about) waiting_[static_cast<std::size_t>(name)].push_back(i);
      if (it.always || (it.declares.empty() && it.about.empty())) keep(it);
    }
    while (!open_.empty()) {
      const std::size_t name = static_cast<std::size_t>(open_.back());
      open_.pop_back();
      for (const std::size_t i : waiting_[name])
        if (Declaration& it = declarations_[i]; !it.kept && is_needed(it)) keep(it);
    }
  }

 private:
  void reach(int name) {
    if (reached_[static_cast<std::size_t>(name)]) return;
    reached_[static_cast<std::size_t>(name)] = 1;
    open_.push_back(name);
  }

  bool is_needed(const Declaration& it) const {
    const auto is_reached = [&](int name) { return reached_[static_cast<std::size_t>(name)] != 0; };
    return (it.declares.empty() || std::any_of(it.declares.begin(), it.declares.end(), is_reached)) &&
           std::all_of(it.about.begin(), it.about.end(), is_reached);
  }

  void keep(Declaration& it) {
    it.kept = true;
    for (std::size_t at = it.begin; at < it.end; ++at)
      if (tokens_[at].name >= 0) reach(tokens_[at].name);
  }

  const std::vector<Token>& tokens_;
  std::vector<Declaration>& declarations_;
  std::vector<char> reached_;
  std::vector<std::vector<std::size_t>> waiting_;
  std::vector<char> classes_;
  std::vector<int> open_;
};

/// Whether a line that begins with # means something outside of the declaration in which it stands.
bool is_of_file(string_view line) {
  if (tells_place(line)) return true;
  for (const string_view word : {"diag", "pack", "push", "pop", "system_header", "visibility"})
    if (line.find(word) != line.npos) return true;
  return false;
}

/// The text without what is not kept. Its lines stay, and so do the preprocessor's.
std::string without_the_rest(string_view text, const std::vector<Token>& tokens,
                             const std::vector<Declaration>& declarations) {
  std::string made;
  made.reserve(text.size());
  const auto offset = [&](std::size_t token) {
    return token < tokens.size() ? static_cast<std::size_t>(tokens[token].text.data() - text.data())
                                 : text.size();
  };
  std::size_t at = 0;
  for (const Declaration& it : declarations) {
    if (it.kept || it.end == it.begin) continue;
    const Token& last = tokens[it.end - 1];
    const std::size_t begin = offset(it.begin), end = offset(it.end - 1) + last.text.size();
    made += text.substr(at, begin - at);
    std::size_t from = begin;
    for (std::size_t token = it.begin; token <= it.end;
         ++token) {  // lines between tokens, and inside of some
      const bool directive =
          token < it.end && tokens[token].kind == Kind::directive && is_of_file(tokens[token].text);
      if (!directive && token != it.end) continue;
      const std::size_t to = token == it.end ? end : offset(token);
      made.append(static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                                                      text.begin() + static_cast<std::ptrdiff_t>(to), '\n')),
                  '\n');
      if (directive) made += tokens[token].text;
      from = directive ? to + tokens[token].text.size() : to;
    }
    at = end;
  }
  made += text.substr(at);
  return made;
}

}  // namespace

std::string shaken(string_view text) {
  Names names;
  const std::vector<Token> tokens = tokens_of(text, names);
  std::vector<Declaration> declarations = declarations_of(tokens, names);
  Reachability(tokens, declarations, names).run();
  return without_the_rest(text, tokens, declarations);
}

}  // namespace ladder::shake
