#include "COpenSSL.h"

#include <string.h>

// The unread bytes of a message or of an element.
typedef struct {
    const unsigned char *next;
    size_t count;
} bytes;

// Takes `head` bytes and content of `length` bytes; 0 if bytes are missing.
static int split(bytes *from, size_t head, size_t length, bytes *content) {
    if (from->count < head || from->count - head < length) return 0;
    *content = (bytes){from->next + head, length};
    from->next += head + length;
    from->count -= head + length;
    return 1;
}

// Takes a length of `width` bytes and content of that length; 0 if bytes are missing.
static int take(bytes *from, size_t width, bytes *taken) {
    if (from->count < width) return 0;
    size_t length = 0;
    for (size_t index = 0; index < width; ++index) length = length << 8 | from->next[index];
    return split(from, width, length, taken);
}

// Takes an element and its tag; 0 if it is cut off, or has an indefinite length or a tag of several bytes (X.690, 8.1).
// Lengths may have more bytes than they need, because OpenSSL accepts them.
static int element(bytes *from, unsigned char *tag, bytes *content) {
    if (from->count < 2 || (from->next[0] & 0x1F) == 0x1F) return 0;
    *tag = from->next[0];
    size_t head = 2, length = from->next[1];
    if (length >= 0x80) {
        const size_t width = length & 0x7F;
        if (width == 0 || from->count - 2 < width) return 0;
        length = 0;
        for (size_t index = 0; index < width; ++index) {
            if (length > SIZE_MAX >> 8) return 0;
            length = length << 8 | from->next[2 + index];
        }
        head += width;
    }
    return split(from, head, length, content);
}

static int tagged(bytes *from, unsigned char wanted, bytes *content) {
    unsigned char tag;
    return element(from, &tag, content) && tag == wanted;
}

// Takes elements with these tags, and keeps the content of the last.
static int allTagged(bytes *from, const char *tags, bytes *last) {
    for (; *tags != 0; ++tags) {
        if (!tagged(from, (unsigned char)*tags, last)) return 0;
    }
    return 1;
}

static int equals(bytes content, const char *value, size_t count) {
    return content.count == count && memcmp(content.next, value, count) == 0;
}

#define IS(content, value) equals(content, value, sizeof(value) - 1)

enum {
    INTEGER = 0x02,
    BIT_STRING = 0x03,
    OCTET_STRING = 0x04,
    OBJECT = 0x06,
    ENUMERATED = 0x0A,
    SEQUENCE = 0x30,
    EXPLICIT_0 = 0xA0
};

// 1 if OpenSSL reads a curve from the parameters of this algorithm.
static int isOnCurve(bytes algorithm) {
    return IS(algorithm, "\x2A\x86\x48\xCE\x3D\x02\x01")          // id-ecPublicKey (RFC 5480, 2.1.1)
        || IS(algorithm, "\x2A\x81\x1C\xCF\x55\x01\x82\x2D");     // SM2
}

// The origin of certificates, a server or this machine, and the costs of their keys so far.
typedef struct {
    int isPresented;
    size_t compressedPoints;
} costs;

// 1 if the algorithm is rsaEncryption or id-RSASSA-PSS (RFC 8017, A.2).
static int isRSA(bytes algorithm) {
    return IS(algorithm, "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01") || IS(algorithm, "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0A");
}

// 1 if an RSA key is cheap to use: its modulus has 8,192 bits at most, its exponent 64, each with a byte for the sign.
static int isCheapRSA(bytes key) {
    bytes numbers, modulus, exponent;
    return !split(&key, 1, 0, &numbers) || !tagged(&key, SEQUENCE, &numbers) || !tagged(&numbers, INTEGER, &modulus)
        || !tagged(&numbers, INTEGER, &exponent) || (modulus.count <= 1025 && exponent.count <= 9);
}

// 1 if a key's own curve is cheap to read: over a prime field of a usual size, with both coordinates (SEC 1, C.2).
static int isCheapCurve(bytes curve, bytes point) {
    bytes part, field, prime;
    if (curve.count > 1024 || !tagged(&curve, INTEGER, &part) || !tagged(&curve, SEQUENCE, &field)) return 0;
    if (!tagged(&field, OBJECT, &part) || !IS(part, "\x2A\x86\x48\xCE\x3D\x01\x01")) return 0;
    // 521 bits and a byte for the sign.
    if (!tagged(&field, INTEGER, &prime) || prime.count > 67) return 0;
    if (!tagged(&curve, SEQUENCE, &part) || !tagged(&curve, OCTET_STRING, &part)) return 0;
    return part.count > 0 && part.next[0] == 0x04 && point.count > 1 && point.next[1] == 0x04;
}

// Examines the cost of reading a SubjectPublicKeyInfo: a square root for a compressed point, and any time for a curve
// of the key's own (forbidden by RFC 5480, 2.1.1), because OpenSSL does not check first that its prime is one.
static int examineKey(bytes key, costs *found) {
    unsigned char tag;
    bytes algorithm, name, parameters, point;
    if (!tagged(&key, SEQUENCE, &algorithm) || !tagged(&key, BIT_STRING, &point) || !tagged(&algorithm, OBJECT, &name)) {
        return COpenSSL_UNREADABLE;
    }
    if (found->isPresented && isRSA(name) && !isCheapRSA(point)) return COpenSSL_LONG_RSA;
    if (algorithm.count == 0 || !isOnCurve(name)) return 0;
    if (!element(&algorithm, &tag, &parameters)) return COpenSSL_UNREADABLE;
    if (tag == SEQUENCE) return found->isPresented || !isCheapCurve(parameters, point) ? COpenSSL_OWN_CURVE : 0;
    if (tag == OBJECT && point.count > 1 && (point.next[1] == 0x02 || point.next[1] == 0x03)) found->compressedPoints += 1;
    return found->compressedPoints > COpenSSL_COMPRESSED_POINTS_MAX ? COpenSSL_COSTLY : 0;
}

static int examineCertificate(bytes certificate, costs *found) {
    bytes body, fields, part;
    if (!tagged(&certificate, SEQUENCE, &body) || !tagged(&body, SEQUENCE, &fields)) return COpenSSL_UNREADABLE;
    if (fields.count > 0 && fields.next[0] == EXPLICIT_0 && !tagged(&fields, EXPLICIT_0, &part)) {
        return COpenSSL_UNREADABLE;
    }
    // The serial number, the algorithm, the issuer, the dates, the subject and the key.
    return allTagged(&fields, "\x02\x30\x30\x30\x30\x30", &part) ? examineKey(part, found) : COpenSSL_UNREADABLE;
}

int COpenSSL_certificate_message(const unsigned char *message, size_t length, int hasContext, size_t mostCertificates) {
    bytes rest = {message, length}, body, list, part;
    costs found = {1, 0};
    size_t count = 0;
    // OpenSSL itself rejects a malformed message.
    if (!split(&rest, 1, 0, &part) || !take(&rest, 3, &body) || (hasContext && !take(&body, 1, &part))
        || !take(&body, 3, &list)) {
        return 0;
    }
    while (list.count > 0) {
        if (!take(&list, 3, &part)) return 0;
        if (++count > mostCertificates) return COpenSSL_MANY;
        const int objection = examineCertificate(part, &found);
        if (objection != 0) return objection;
        if (hasContext && !take(&list, 2, &part)) return 0;
    }
    return 0;
}

int COpenSSL_certificate(const unsigned char *certificate, size_t length) {
    costs found = {0, 0};
    return examineCertificate((bytes){certificate, length}, &found);
}

int COpenSSL_public_key(const unsigned char *key, size_t length) {
    bytes rest = {key, length}, content;
    costs found = {0, 0};
    return tagged(&rest, SEQUENCE, &content) ? examineKey(content, &found) : COpenSSL_UNREADABLE;
}

int COpenSSL_staple(const unsigned char *response, size_t length, size_t mostCertificates) {
    bytes rest = {response, length}, body, part, basic;
    costs found = {1, 0};
    size_t count = 0;
    if (!tagged(&rest, SEQUENCE, &body) || !tagged(&body, ENUMERATED, &part)) return COpenSSL_UNREADABLE;
    // A response with an error ends here.
    if (body.count == 0) return 0;
    if (!tagged(&body, EXPLICIT_0, &rest) || !tagged(&rest, SEQUENCE, &part) || !allTagged(&part, "\x06\x04", &rest)
        || !tagged(&rest, SEQUENCE, &basic) || !allTagged(&basic, "\x30\x30\x03", &part)) {
        return COpenSSL_UNREADABLE;
    }
    if (basic.count == 0) return 0;
    if (!tagged(&basic, EXPLICIT_0, &part) || !tagged(&part, SEQUENCE, &rest)) return COpenSSL_UNREADABLE;
    while (rest.count > 0) {
        if (++count > mostCertificates) return COpenSSL_MANY;
        const bytes certificate = rest;
        if (!tagged(&rest, SEQUENCE, &part)) return COpenSSL_UNREADABLE;
        const int objection = examineCertificate(certificate, &found);
        if (objection != 0) return objection;
    }
    return 0;
}

int COpenSSL_request(const unsigned char *request, size_t length) {
    bytes rest = {request, length}, body, fields, part;
    costs found = {0, 0};
    // The version, the subject and the key.
    return tagged(&rest, SEQUENCE, &body) && tagged(&body, SEQUENCE, &fields) && allTagged(&fields, "\x02\x30\x30", &part)
        ? examineKey(part, &found) : COpenSSL_UNREADABLE;
}

static int isNamedCurve(bytes parameters) {
    unsigned char tag;
    bytes curve;
    return element(&parameters, &tag, &curve) && tag != SEQUENCE;
}

// Examines an ECPrivateKey after its version and number (RFC 5915, 3).
static int examineCurveKey(bytes rest) {
    unsigned char tag;
    bytes part;
    if (rest.count == 0) return 0;
    if (!element(&rest, &tag, &part)) return COpenSSL_UNREADABLE;
    return tag != EXPLICIT_0 || isNamedCurve(part) ? 0 : COpenSSL_OWN_CURVE;
}

int COpenSSL_private_key(const unsigned char *key, size_t length) {
    unsigned char tag;
    bytes rest = {key, length}, fields, first, name, part;
    if (!tagged(&rest, SEQUENCE, &fields) || !tagged(&fields, INTEGER, &part) || !element(&fields, &tag, &first)) {
        return COpenSSL_UNREADABLE;
    }
    // The forms for RSA (PKCS #1) and DSA contain the public half.
    if (tag == INTEGER) return 0;
    if (tag == OCTET_STRING) return length > COpenSSL_PRIVATE_KEY_MAX ? COpenSSL_COSTLY : examineCurveKey(fields);
    // PKCS #8 (RFC 5208, 5).
    if (tag != SEQUENCE || !tagged(&first, OBJECT, &name)) return COpenSSL_UNREADABLE;
    // Keys for RSA (PKCS #1), ML-DSA and SLH-DSA, by their arcs.
    const int isLong = (name.count == 9 && memcmp(name.next, "\x2A\x86\x48\x86\xF7\x0D\x01\x01", 8) == 0)
        || (name.count == 9 && memcmp(name.next, "\x60\x86\x48\x01\x65\x03\x04\x03", 8) == 0);
    if (isLong) return 0;
    if (length > COpenSSL_PRIVATE_KEY_MAX) return COpenSSL_COSTLY;
    if (!isOnCurve(name)) return 0;
    if (!isNamedCurve(first)) return COpenSSL_OWN_CURVE;
    // The key inside can have a curve of its own.
    return tagged(&fields, OCTET_STRING, &rest) && tagged(&rest, SEQUENCE, &fields) && allTagged(&fields, "\x02\x04", &part)
        ? examineCurveKey(fields) : COpenSSL_UNREADABLE;
}
