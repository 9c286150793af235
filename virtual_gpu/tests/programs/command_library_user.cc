// Knows nothing of CUDA.
extern "C" void run_kernel();

int main() { run_kernel(); }
