// Waits for Ctrl-C, and handles it.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char**) {
  if (argc == 1) {
    std::signal(SIGINT, [](int) {
      (void)!write(1, "caught\n", 7);
      _exit(17);
    });
  }
  std::printf("waiting\n");
  std::fflush(stdout);
  for (;;) pause();
}
