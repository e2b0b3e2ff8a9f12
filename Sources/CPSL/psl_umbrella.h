// libpsl: the public suffix list, kept up to date by the system.
#include <libpsl.h>
