#include "simulator/cudart/report/complete.h"

#include <fmt/format.h>

#include "simulator/cudart/report/leaks.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/stream/guards.h"

namespace sim::cudart {
namespace {

const char* usual_cure(const Finding& f) {
  const auto says = [&](const char* words) { return f.message.find(words) != f.message.npos; };
  if (f.kind == FindingKind::out_of_bounds) {
    if (says("a call through a null pointer"))  // which is also what the compiler makes of a host function
      return "set the pointer to a __device__ function; where the source has no pointer, a __host__ "
             "__device__ "
             "function calls one of the host: nvcc's --expt-relaxed-constexpr, or the namesake in cuda::std";
    if (says("no device function"))
      return "take a function's address in device code, or copy it out with cudaMemcpyFromSymbol(): host "
             "code "
             "knows another one";
    if (f.space == "shared")
      return "an index below the number of elements, or more of them: sizes of dynamic shared memory are in "
             "bytes, and it is the launch that gives them";
    if (f.space == "local" || f.space == "constant")
      return "an index below the number of elements, or a larger array";
    return says("host pointer")
               ? "give the kernel a pointer that cudaMalloc() has set, and check what it returned"
               : "check the index against the number of elements before the access";
  }
  if (f.kind == FindingKind::use_after_free && says("(array '"))  // the caller's, who has freed it
    return "no pointer of an earlier call kept, in a static variable or a graph: its arrays are gone";
  if (f.kind == FindingKind::use_after_free)
    return "cudaFree() after the last kernel or copy that uses the memory";
  if (f.kind == FindingKind::misaligned)
    return "an address that is a multiple of the bytes accessed: wide types from aligned starts and in rows "
           "of "
           "whole multiples, or element by element";
  if (f.kind == FindingKind::hang)
    return "a condition that is sure to change: by the loop itself, or by a thread that can get on";
  if (f.kind == FindingKind::barrier)
    return "one barrier that all threads of the block reach, outside branches and loops";
  if (f.kind == FindingKind::mask)
    return "a mask of exactly the lanes that come to the call, made before they part";
  if (f.kind == FindingKind::launch) return "a configuration within the device's limits";
  if (f.kind == FindingKind::memcpy)
    return "sizes in bytes and within both buffers, destination first, and the kind that says which way";
  if (f.kind == FindingKind::free)
    return "free once, with the function that goes with the allocation, the pointer that it returned";
  return "";
}

/// Where nobody will look lines up, the mark that stands for one goes, and what it would be looked up by.
void without_lines(Finding& f) {
  const std::string mark = fmt::format(" ({})", kOtherPlace);
  if (const std::size_t at = f.message.find(mark); at != f.message.npos) f.message.erase(at, mark.size());
  f.host_frames.clear();
  if (f.other) f.other->host_frames.clear();
}

}  // namespace

void complete(std::vector<Finding>& findings) {
  for (Finding& f : findings) {
    if (!writes_report()) without_lines(f);
    if (f.cure.empty()) f.cure = usual_cure(f);
    if (!f.message.empty() && f.message.find_last_of(".?!") != f.message.size() - 1) f.message += '.';
  }
  if (!writes_report()) say_where_asked_for(findings);  // else whoever reads it looks lines up
}

}  // namespace sim::cudart
