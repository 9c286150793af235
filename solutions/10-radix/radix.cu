#include "radix.h"
