#include "grading/problem.h"

#include <gtest/gtest.h>

namespace {

TEST(Root, IsTheSideOfTheLargestSquare) {
    for (std::int64_t root : {0, 1, 2, 31, 32, 8192, 65535, 94906267}) {  // the last squares are no doubles
        const std::int64_t square = root * root;
        EXPECT_EQ(lab::root_of(square), root);
        EXPECT_EQ(lab::root_of(square + 2 * root), root);
        EXPECT_EQ(lab::root_of(square + 2 * root + 1), root + 1);
    }
}

}  // namespace
