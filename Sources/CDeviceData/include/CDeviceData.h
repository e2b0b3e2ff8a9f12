// The root stores of devices, as make-device-data writes them.
//
// The certificates are in the program's read-only data: none of them is loaded before it is asked for.
#ifndef CDEVICEDATA_H
#define CDEVICEDATA_H

typedef struct {
    // As in ios-17, android-8.1 and mozilla; another name of the same list, as in macos-14, empty for none; the versions in words.
    const char *name, *alias, *release;
    // Where its list is published.
    const char *address;
    // When that was read, in days since 1970-01-01.
    int day;
    // A bit for each certificate, set for its roots; the highest of the first byte is the first.
    const unsigned char *membership;
} CDevice;

typedef struct {
    // Where the lists are from, and their licence.
    const char *source, *licence;
    // By platform (Apple, Android, Mozilla), then by version.
    const CDevice *devices;
    int deviceCount;
    // Where each certificate ends, counted from the start of the first.
    const unsigned int *ends;
    int certificateCount;
    // The certificates in DER one after the other, by length and then by bytes; each is on a list.
    const unsigned char *certificates;
    // The SHA-256 of the SubjectPublicKeyInfo of each, 32 bytes.
    const unsigned char *keys;
} CDeviceTable;

const CDeviceTable *CDeviceData_table(void);

#endif
