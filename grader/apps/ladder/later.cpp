// ladder-first is the command line without the commands of this file, which take as long to compile as all
// the others:
// ./ladder builds the whole program when one of them is first called. Declared here and not included: the
// parser's header alone takes longer than this program's link.
#include <string>
#include <vector>

namespace ladder::cli {

class Commands;

void add_watch(Commands&) {}
void add_serve(Commands&) {}
void add_report(Commands&) {}
void add_hunt(Commands&) {}
void add_lens(Commands&) {}
void add_roofline(Commands&) {}
void add_sim(Commands&, std::vector<std::string>) {}
void add_litmus(Commands&, std::vector<std::string>) {}
void add_bundle(Commands&) {}
void add_init(Commands&) {}
void add_setup(Commands&) {}
void add_completion(Commands&) {}
void add_doctor(Commands&) {}
void add_grade(Commands&) {}
void add_grade_unit(Commands&) {}
void add_test(Commands&) {}
void add_dev(Commands&) {}

}  // namespace ladder::cli
