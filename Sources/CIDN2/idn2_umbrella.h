// libidn2: international domain names (IDNA 2008).
#include <idn2.h>
