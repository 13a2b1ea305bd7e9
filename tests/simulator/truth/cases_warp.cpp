// Instructions of whole warps: shuffles, votes, matches, reductions.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

void add_warp_cases(std::vector<Case>& all) {
  using enum Kind;
  for (const std::string& name : expand("shfl.sync(.up,.down,.bfly,.idx).b32")) {
    // The third operand: the end of a segment, and in bits 8 to 12 which bits of a lane name its segment.
    add_body(
        all, name,
        "and.b32 %a2, %a2, 0x1f1f; " + name + " %d0|%p0, %a0, %a1, %a2, 0xffffffff; selp.u32 %d1, 1, 0, %p0;",
        {b32, b32}, {b32, amount, b32}, 256);
    add_body(all, name + " within 8 lanes",
             name + " %d0|%p0, %a0, %a1, " + (name.find(".up") != name.npos ? "0x1800" : "0x181f") +
                 ", 0xffffffff; selp.u32 %d1, 1, 0, %p0;",
             {b32, b32}, {b32, amount}, 128);
  }
  for (const std::string& name : expand("vote.sync(.all,.any,.uni).pred")) {
    add_body(all, name,
             "setp.eq.s32 %p0, %a0, 0; " + name + " %p1, %p0, 0xffffffff; selp.u32 %d0, 1, 0, %p1;", {b32},
             {few}, 64);
    add_body(all, name + " that all hold",
             "setp.lt.s32 %p0, %a0, 9; " + name + " %p1, !%p0, 0xffffffff; selp.u32 %d0, 1, 0, %p1;", {b32},
             {few}, 64);
  }
  add_body(all, "vote.sync.ballot.b32",
           "setp.eq.s32 %p0, %a0, 0; vote.sync.ballot.b32 %d0, !%p0, 0xffffffff;", {b32}, {few}, 64);
  add_body(all, "match.any.sync.b32", "match.any.sync.b32 %d0, %a0, 0xffffffff;", {b32}, {few}, 64);
  add_body(all, "match.any.sync.b64",
           "{ .reg .b64 %x; cvt.u64.u32 %x, %a0; match.any.sync.b64 %d0, %x, 0xffffffff; }", {b32}, {few},
           64);
  for (const std::string& bits : {std::string("32"), std::string("64")}) {
    const std::string name = "match.all.sync.b" + bits;
    add_body(all, name,
             "{ .reg .b" + bits + " %x; cvt.u" + bits + ".u32 %x, %row; shr.u" + bits + " %x, %x, 5; " +
                 name + " %d0|%p0, %x, 0xffffffff; selp.u32 %d1, 1, 0, %p0; mov.u32 %d2, %lane; }",
             {b32, b32, b32}, {few}, 64);
    add_body(all, name + " of unlike values",
             "{ .reg .b" + bits + " %x; cvt.u" + bits + ".u32 %x, %a0; " + name +
                 " %d0|%p0, %x, 0xffffffff; selp.u32 %d1, 1, 0, %p0; }",
             {b32, b32}, {few}, 32);
  }
  for (const std::string& name :
       expand("redux.sync(.add.u32,.add.s32,.min.u32,.min.s32,.max.u32,.max.s32,.and.b32,.or.b32,.xor.b32)"))
    add_body(all, name, name + " %d0, %a0, 0xffffffff;", {b32}, {b32}, 64);
  add_body(all, "activemask.b32", "activemask.b32 %d0;", {b32}, {few}, 32);
  add_body(all, "elect.sync", "elect.sync %d0|%p0, 0xffffffff; selp.u32 %d1, 1, 0, %p0;", {b32, b32}, {few},
           32);
  for (const char* name :
       {"%laneid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%ntid.x",
        "%nctaid.x", "%ctaid.y", "%cluster_ctaid.x", "%cluster_nctaid.x", "%cluster_ctarank",
        "%cluster_nctarank", "%clusterid.x", "%nclusterid.x"}) {
    add_body(all, std::string("mov.u32 ") + name, std::string("mov.u32 %d0, ") + name + ";", {b32}, {few},
             64);
  }
}

}  // namespace sim::truth
