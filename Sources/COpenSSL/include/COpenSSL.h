// OpenSSL 3.0 or later: its macros as functions with COpenSSL_ before their name, because Swift cannot import macros,
// and checks of certificates before OpenSSL reads them.
#pragma once

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Has OpenSSL load the names of all kinds of keys before two threads use it. OpenSSL 3.0 loses algorithms for the life
// of the process if one thread loads decoders while another loads kinds of keys: both register the same names, and the
// second is rejected (measured: in 14 of 5,000 processes).
void COpenSSL_learn_names(void);

#define COpenSSL_WRAP(result, name, parameters, arguments) \
    static inline result COpenSSL_##name parameters { return name arguments; }
COpenSSL_WRAP(void, OPENSSL_free, (void *memory), (memory))
COpenSSL_WRAP(void *, OPENSSL_memdup, (const void *memory, size_t count), (memory, count))
COpenSSL_WRAP(long, BIO_get_mem_data, (BIO *bio, const char **data), (bio, (char **)data))

// Types that are opaque from OpenSSL 4 on are passed as `void`, so that Swift need not name them.
COpenSSL_WRAP(const unsigned char *, ASN1_STRING_get0_data, (const void *string), (string))
COpenSSL_WRAP(int, ASN1_STRING_length, (const void *string), (string))
COpenSSL_WRAP(void, ASN1_STRING_free, (void *string), (string))
COpenSSL_WRAP(int, ASN1_STRING_to_UTF8, (unsigned char **out, const void *string), (out, string))
COpenSSL_WRAP(const void *, X509_get0_notBefore, (const X509 *certificate), (certificate))
COpenSSL_WRAP(const void *, X509_get0_notAfter, (const X509 *certificate), (certificate))

// The seconds of a date since 1970 in UTC, without the C library's time zones; 0 if the date is malformed.
static inline int COpenSSL_ASN1_TIME_seconds(const void *date, int64_t *seconds) {
    const struct tm start = {.tm_year = 70, .tm_mday = 1};
    struct tm time;
    int days, rest;
    if (ASN1_TIME_to_tm(date, &time) != 1 || OPENSSL_gmtime_diff(&days, &rest, &start, &time) != 1) return 0;
    *seconds = (int64_t)days * 86400 + rest;
    return 1;
}
// The dates are those of the revocation, of this update and of the next; NULL if absent.
static inline int COpenSSL_OCSP_single_get0_status(OCSP_SINGLERESP *answer, int *reason, const void **dates) {
    return OCSP_single_get0_status(answer, reason, (void *)&dates[0], (void *)&dates[1], (void *)&dates[2]);
}

// A copy with the inner signature algorithm on the outside, too, if the two differ only by a NULL; else NULL.
static inline X509 *COpenSSL_X509_with_inner_algorithm(X509 *certificate) {
    const X509_ALGOR *inner = X509_get0_tbs_sigalg(certificate), *outer;
    const ASN1_OBJECT *innerKind, *outerKind;
    int innerType, outerType;
    X509_get0_signature(NULL, &outer, certificate);
    X509_ALGOR_get0(&innerKind, &innerType, NULL, inner);
    X509_ALGOR_get0(&outerKind, &outerType, NULL, outer);
    int isByNull = (innerType == V_ASN1_NULL && outerType == V_ASN1_UNDEF) || (innerType == V_ASN1_UNDEF && outerType == V_ASN1_NULL);
    X509 *copy = isByNull && OBJ_cmp(innerKind, outerKind) == 0 ? X509_dup(certificate) : NULL;
    if (copy == NULL) return NULL;
    X509_get0_signature(NULL, &outer, copy);
    X509_ALGOR_copy((X509_ALGOR *)outer, inner);
    return copy;
}

// A chain is judged once: no server may present another one later, nor a compressed one, which the guard cannot read.
static inline uint64_t COpenSSL_options(void) {
// OpenSSL 3.2 names the bit, and a program that is built with 3.0 may run with it. 3.0 ignores the bit.
#ifndef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
#define SSL_OP_NO_RX_CERTIFICATE_COMPRESSION ((uint64_t)1 << 33)
#endif
    return SSL_OP_LEGACY_SERVER_CONNECT | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
        | SSL_OP_NO_RX_CERTIFICATE_COMPRESSION;
}
COpenSSL_WRAP(int, SSL_set_min_proto_version, (SSL *ssl, int version), (ssl, version))
COpenSSL_WRAP(int, SSL_set_max_proto_version, (SSL *ssl, int version), (ssl, version))
COpenSSL_WRAP(long, SSL_CTX_set_tlsext_servername_callback, (SSL_CTX *context, int (*callback)(SSL *, int *, void *)),
    (context, callback))
COpenSSL_WRAP(int, SSL_set_tlsext_host_name, (SSL *ssl, const char *name), (ssl, name))
COpenSSL_WRAP(long, SSL_set1_sigalgs_list, (SSL *ssl, const char *algorithms), (ssl, algorithms))
COpenSSL_WRAP(long, SSL_set1_client_sigalgs_list, (SSL *ssl, const char *algorithms), (ssl, algorithms))
COpenSSL_WRAP(long, SSL_set1_groups_list, (SSL *ssl, const char *list), (ssl, list))
COpenSSL_WRAP(long, SSL_get_peer_signature_nid, (SSL *ssl, int *digest), (ssl, digest))
COpenSSL_WRAP(long, SSL_get_peer_tmp_key, (SSL *ssl, EVP_PKEY **key), (ssl, key))
COpenSSL_WRAP(long, SSL_get_tlsext_status_ocsp_resp, (SSL *ssl, const unsigned char **response), (ssl, response))
COpenSSL_WRAP(long, SSL_set_tlsext_status_ocsp_resp, (SSL *ssl, unsigned char *response, long count), (ssl, response, count))
COpenSSL_WRAP(long, SSL_CTX_set_tlsext_status_cb, (SSL_CTX *context, int (*callback)(SSL *, void *)), (context, callback))

// Allows everything at level 0 (SSL_CTX_set_security_callback), but finite-field groups only if `namesGroups` is set
// (SSL_set0_security_ex_data), and only primes of 1,024 to 4,096 bits: OpenSSL's 10,000 cost a client a second.
int COpenSSL_allows(const SSL *ssl, const SSL_CTX *context, int operation, int strength, int nid, void *key, void *namesGroups);
// The reasons why OpenSSL must not read certificates: they do not have the examined form, or they cost too much.
enum {
    COpenSSL_MANY = 1,
    COpenSSL_OWN_CURVE,
    COpenSSL_COSTLY,
    COpenSSL_UNREADABLE,
    COpenSSL_LONG_RSA,
    // The most compressed points that are read.
    COpenSSL_COMPRESSED_POINTS_MAX = 8,
    // The most bytes of a private key, except RSA's and ML-DSA's: OpenSSL computes the public half of some.
    COpenSSL_PRIVATE_KEY_MAX = 2048
};
// Examine certificates and keys before OpenSSL reads them; each returns one of these reasons, or 0 if there is none.
// The first is for a Certificate message (RFC 8446, 4.4.2, or without a context RFC 5246, 7.4.2).
int COpenSSL_certificate_message(const unsigned char *message, size_t length, int hasContext, size_t mostCertificates);
// A certificate and a SubjectPublicKeyInfo (RFC 5280, 4.1), and a request (RFC 2986, 4.1); bytes after each do not count.
int COpenSSL_certificate(const unsigned char *certificate, size_t length);
int COpenSSL_public_key(const unsigned char *key, size_t length);
int COpenSSL_request(const unsigned char *request, size_t length);
// A private key without a passphrase: PKCS #8, PKCS #1 or SEC 1.
int COpenSSL_private_key(const unsigned char *key, size_t length);
// An OCSP response (RFC 6960, 4.2.1).
int COpenSSL_staple(const unsigned char *response, size_t length, size_t mostCertificates);
