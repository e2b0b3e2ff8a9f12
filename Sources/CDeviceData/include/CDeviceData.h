// The root stores of devices, as make-device-data writes them; the module Devices reads the form and describes it.
//
// Bytes in the program's read-only data: they need no relocation and no initialization, and none of them is loaded before it is
// asked for.
#ifndef CDEVICEDATA_H
#define CDEVICEDATA_H

#include <stddef.h>

// The first byte.
const unsigned char *CDeviceData_start(void);

// How many bytes there are.
size_t CDeviceData_count(void);

#endif
