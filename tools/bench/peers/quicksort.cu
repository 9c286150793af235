// Lab 12's record against CUB's sorts. Built and run by python -m bench.peers.
#include "quicksort.h"

#include "merge_sort.h"

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{4} << 30);
    auto sort = [](const int* d_in, int* d_out, int n, Workspace& room) { sample_partition(d_in, d_out, n, room); };
    for (int n : options.sizes) {
        peers::compare_with_sorts(clock, room, "sample_partition", sort, n, options.rounds);
    }
}
