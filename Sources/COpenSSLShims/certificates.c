#include "COpenSSLShims.h"

#include <string.h>

// The bytes that are left of a message.
typedef struct {
    const unsigned char *next;
    size_t count;
} bytes;

// Takes a length of so many bytes and what it is of; 0 when that is not there.
static int take(bytes *from, size_t width, bytes *taken) {
    if (from->count < width) return 0;
    size_t length = 0;
    for (size_t index = 0; index < width; ++index) length = length << 8 | from->next[index];
    if (from->count - width < length) return 0;
    taken->next = from->next + width;
    taken->count = length;
    from->next += width + length;
    from->count -= width + length;
    return 1;
}

// id-ecPublicKey (RFC 5480, 2.1.1).
static const unsigned char curveKey[] = {0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01};

// What makes reading a certificate costly: OpenSSL takes the root of a number for a point that is compressed, which a prime of the
// sender's own choice makes a matter of 50 ms.
static void examine(bytes certificate, int *isOfOwnCurve, int *compressedPoints) {
    const unsigned char *const end = certificate.next + certificate.count;
    for (const unsigned char *place = certificate.next; (size_t)(end - place) > sizeof(curveKey); ++place) {
        place = memchr(place, curveKey[0], (size_t)(end - place) - sizeof(curveKey));
        if (place == NULL) return;
        if (memcmp(place, curveKey, sizeof(curveKey)) != 0) continue;
        const unsigned char *const curve = place + sizeof(curveKey);
        // A name, or what describes a curve without one.
        if (curve[0] != 0x06) {
            *isOfOwnCurve |= curve[0] == 0x30;
            continue;
        }
        if (end - curve < 2 || curve[1] >= end - curve - 2) return;
        const unsigned char *key = curve + 2 + curve[1];
        // A BIT STRING with its length in one byte or two, none of its bits left out, and the point.
        if (end - key < 5 || key[0] != 0x03) continue;
        key += key[1] == 0x81 ? 3 : 2;
        if (key[0] == 0 && (key[1] == 0x02 || key[1] == 0x03)) *compressedPoints += 1;
    }
}

int COpenSSLShims_certificate_message(const unsigned char *message, size_t length, int hasContext, size_t mostCertificates) {
    bytes rest = {message, length}, body, list, part;
    int isOfOwnCurve = 0, compressedPoints = 0;
    size_t count = 0;
    if (rest.count < 1) return 0;
    rest.next += 1;
    rest.count -= 1;
    // What is not in its form OpenSSL refuses by itself.
    if (!take(&rest, 3, &body) || (hasContext && !take(&body, 1, &part)) || !take(&body, 3, &list)) return 0;
    while (list.count > 0) {
        if (!take(&list, 3, &part)) return 0;
        if (++count > mostCertificates) return COpenSSLShims_CERTIFICATES_MANY;
        examine(part, &isOfOwnCurve, &compressedPoints);
        if (isOfOwnCurve) return COpenSSLShims_CERTIFICATES_OWN_CURVE;
        if (compressedPoints > COpenSSLShims_COMPRESSED_POINTS_MAX) return COpenSSLShims_CERTIFICATES_COMPRESSED;
        if (hasContext && !take(&list, 2, &part)) return 0;
    }
    return 0;
}

void COpenSSLShims_spoil(void *message, size_t length) {
    // Behind the type stands the length of the body, which was read, and in that of the list, or of a context that has none.
    if (length > 4) ((unsigned char *)message)[4] = 0xFF;
}
