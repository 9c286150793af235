// Lab 8's record against CUB's sorts. Built and run by python -m bench.peers.
#include "networks.h"

#include "merge_sort.h"

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading(peers::cub_version());
    peers::Clock clock;
    peers::Room room(std::size_t{1} << 20);
    for (int n : options.sizes) {
        if (n > 1 << 26) continue;
        peers::compare_with_sorts(clock, room, "bitonic_registers", bitonic_registers<Ascending<int>>, n,
                                  options.rounds);
    }
}
