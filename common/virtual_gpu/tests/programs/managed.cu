// Host code uses a __managed__ variable, which the virtual GPU does not have.
__managed__ int counter = 3;

int main() {
    counter = 4;
    return 0;
}
