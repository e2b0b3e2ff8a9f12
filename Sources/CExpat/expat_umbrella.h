// Expat: reads XML piece by piece, so that what is too large or too deep is left as soon as it is seen.
#include <expat.h>
