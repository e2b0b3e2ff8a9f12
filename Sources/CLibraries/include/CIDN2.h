// libidn2's function for international names, looked up when a name is not ASCII (dlopen).
#ifndef CIDN2_H
#define CIDN2_H

// Each member is the function of libidn2 that is called idn2_ and the member's name.
struct CIDN2 {
    int (*to_ascii_8z)(const char *input, char **output, int flags);
    void (*free)(void *pointer);
};

// The values of libidn2 that calls take and return.
enum { CIDN2_OK = 0, CIDN2_NFC_INPUT = 1, CIDN2_NONTRANSITIONAL = 8 };

// Loads the library and fills in its functions. Returns NULL, or the reason for which that was not possible.
const char *CIDN2_load(struct CIDN2 *functions);

#endif
