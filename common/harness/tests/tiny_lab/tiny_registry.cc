#include "harness/registry.h"
#include "tiny_cases.h"

namespace lab {

const std::vector<Lab>& registry() {
    static const std::vector<Lab> labs = [] {
        Lab lab = tiny_lab();
        lab.expect = tiny_expect;
        return std::vector<Lab>{lab};
    }();
    return labs;
}

}  // namespace lab
