// Runs the groups in the order of their names:
//   nvcc -o misuse *.cu && ./misuse            on a GPU: what h200.txt holds
//   ladder sim *.cu --no-findings              on the simulator: the same
//   ./misuse GROUP                             one group, in this process
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "misuse.h"

namespace {

Group* first = nullptr;
const char* current = "";

}  // namespace

Group::Group(const char* n, void (*r)()) : name(n), run(r), next(first) { first = this; }

void tell(const char* label, cudaError_t code) {
  std::printf("%s.%s %d %d\n", current, label, static_cast<int>(code), static_cast<int>(cudaGetLastError()));
  std::fflush(stdout);
}

void show(const char* label, long long value) {
  std::printf("%s.%s = %lld\n", current, label, value);
  std::fflush(stdout);
}

__global__ void plain_kernel(int* out) {
  if (out != nullptr) *out = 1;
}

int main(int argc, char** argv) {
  std::vector<Group*> groups;
  for (Group* g = first; g != nullptr; g = g->next) groups.push_back(g);
  std::sort(groups.begin(), groups.end(),
            [](const Group* a, const Group* b) { return std::strcmp(a->name, b->name) < 0; });
  for (const Group* g : groups) {
    if (argc > 1 && std::strcmp(argv[1], g->name) != 0) continue;
    current = g->name;
    const pid_t child = argc > 1 ? 0 : fork();
    if (child == 0) {
      g->run();
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("%s died of signal %d\n", g->name, WTERMSIG(status));
    std::fflush(stdout);
  }
}
