// Calls a library that the simulator does not have, when it is given an argument.
#include <cstdio>

extern "C" int cufftPlan1d(int*, int, int, int);

int main(int argc, char**) {
  std::printf("begun\n");
  int plan = 0;
  return argc > 1 ? cufftPlan1d(&plan, 8, 0, 1) : 0;
}
