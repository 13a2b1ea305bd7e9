// Calls the main() of the module that is loaded, as the operating system would, and keeps what it prints.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

/// What a program left.
struct Ended {
  int code = 0;
  std::string printed;  ///< on stdout
};

/// The main() of a shared object; that of the process itself, which would be found by name, is passed over.
/// @return null where no object has one
inline int (*find_main())(int, char**) {
  void* process = dlopen(nullptr, RTLD_LAZY);
  link_map* object = nullptr;
  if (process == nullptr || dlinfo(process, RTLD_DI_LINKMAP, &object) != 0) return nullptr;
  for (object = object->l_next; object != nullptr; object = object->l_next) {
    void* handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* found = dlsym(handle, "main");
    dlclose(handle);
    Dl_info where{};  // a library that the object needs is searched, too
    if (found != nullptr && dladdr(found, &where) != 0 &&
        where.dli_fbase == reinterpret_cast<void*>(object->l_addr))
      return reinterpret_cast<int (*)(int, char**)>(found);
  }
  return nullptr;
}

/// Sends stdout into a file without a name while it lives. (In /tmp: a cell of `ladder grade` allows none in
/// memory.)
class Listener {
 public:
  Listener() : file_(std::tmpfile()) {
    std::fflush(stdout);
    before_ = dup(STDOUT_FILENO);
    if (file_ == nullptr || before_ < 0 || dup2(fileno(file_), STDOUT_FILENO) < 0)
      throw ladder::Objection("what the program prints cannot be read here");
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    restore();
    if (file_ != nullptr) std::fclose(file_);
  }

  /// Puts stdout back.
  /// @return the beginning of what was printed; it is printed again, so that it is seen
  std::string heard() {
    restore();
    std::string text(4096, '\0');
    const ssize_t read = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return text;
  }

 private:
  void restore() {
    if (before_ < 0) return;
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    close(before_);
    before_ = -1;
  }

  std::FILE* file_ = nullptr;
  int before_ = -1;
};

/// @param arguments  behind the program's name
/// @throws ladder::Objection when no loaded module has a main()
inline Ended run_program(std::vector<std::string> arguments) {
  auto* const program = find_main();
  if (program == nullptr) throw ladder::Objection("the file has no main() yet: it is to be a whole program");
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  Listener listener;
  Ended ended;
  ended.code = program(static_cast<int>(arguments.size()), words.data());
  ended.printed = listener.heard();
  return ended;
}
