// model_times LESSON.so RUNG.so NAME [DIVISOR]: what the time model says of one rung at the size that a GPU
// is timed at, or with the last extent divided. Only some blocks of each launch are run
// (LADDER_SIM_SAMPLED_BLOCKS, 0 for all), so results are not looked at.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "grader/judge/cases/case_store.h"
#include "grader/lesson/blank_page.h"
#include "grader/protocol/verdict.h"
#include "grader/worker/device/device.h"
#include "grader/worker/guard.h"
#include "grader/worker/worker.h"
#include "simulator/report/json.h"
#include "simulator/report/wording/words.h"

namespace {

ladder::Case timed_case(const ladder::Lesson& lesson, const std::string& rung) {
  for (const ladder::Case& which : lesson.cases(ladder::DeviceKind::gpu))
    if (which.use == ladder::Case::Use::time && lesson.applies(which, rung)) return which;
  throw std::runtime_error("no timed case");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5)
    return std::fprintf(stderr, "model_times LESSON.so RUNG.so NAME [DIVISOR]\n"), 2;
  setenv("LADDER_SIM_SAMPLED_BLOCKS", "16", 0);
  // A worker writes its last words to a page that the judge gave it: here nobody reads them.
  const int page = memfd_create("last words", 0);
  if (page < 0 || ftruncate(page, 4096) != 0 || dup2(page, ladder::kLastWordsFd) < 0) return 1;
  if (dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  ladder::LessonPlugin plugin(ladder::plugin_for(argv[1], argv[3]), false);
  const ladder::Lesson& constant = plugin.lesson();
  auto& lesson = const_cast<ladder::Lesson&>(constant);  // it prepares and launches here as in a worker
  ladder::Case which = timed_case(lesson, argv[3]);
  const std::string size = which.label();
  if (argc == 5) which.extents.back().second /= std::atoi(argv[4]);
  ladder::Problem problem(which);
  ladder::Random random(1);
  lesson.declare(problem, random);

  ladder::WorkerCase at;
  at.which = which;
  at.pattern = ladder::guard_pattern(1, 4096);
  at.buffers.assign(problem.buffers().begin(), problem.buffers().end());
  at.sets.push_back(std::make_unique<ladder::ArgumentSet>(at.buffers, at.pattern));
  for (std::size_t i = 0; i < at.buffers.size(); ++i)
    at.sets[0]->arrays()[i]->reset(at.buffers[i].bytes, 0xFF);
  (void)ladder::device().take_kernels();
  const ladder::WorkerReply reply = ladder::CaseRun(lesson, at).once(0, {});
  for (const sim::Finding& f : reply.findings)
    std::fprintf(stderr, "%s: %s\n", to_string(f.kind), sim::sentence(f).c_str());
  std::string bound;
  double longest = 0;
  nlohmann::json kernels = nlohmann::json::array();
  for (const sim::KernelRecord& k : reply.kernels) {
    kernels.push_back(k);
    if (k.modelled_ns > longest) longest = k.modelled_ns, bound = k.bound;
  }
  const nlohmann::json all = {{"rung", argv[3]},
                              {"size", size},
                              {"milliseconds", reply.elapsed_ms},
                              {"bound", bound},
                              {"kernels", kernels}};
  std::printf("%s\n", all.dump().c_str());
  std::fflush(nullptr);
  std::_Exit(succeeded(reply) ? 0 : 1);
}
