// OpenSSL's macros as functions, because Swift's importer cannot read them. Each body is one call: nothing clever lives here.
// The name is the macro's with the module's name in front.
#ifndef COPENSSLSHIMS_H
#define COPENSSLSHIMS_H

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Has OpenSSL learn the names of all kinds of keys, before its first use by two threads.
//
// OpenSSL 3.0 loses algorithms for the life of the process when one thread loads its decoders for the first time while another loads kinds of
// keys: both register the same names, and whoever comes second is refused. Measured with a program of two such threads: 14 of 5,000
// processes had no P-256 or could read no EC key; none of 5,000 after this.
void COpenSSLShims_learn_names(void);

// Memory and BIOs.
void COpenSSLShims_OPENSSL_free(void *memory);
void *COpenSSLShims_OPENSSL_memdup(const void *memory, size_t count);
long COpenSSLShims_BIO_get_mem_data(BIO *bio, const char **data);
long COpenSSLShims_BIO_set_mem_eof_return(BIO *bio, long value);

// Stacks.
/// How many cipher suites a list has.
int COpenSSLShims_sk_SSL_CIPHER_num(const STACK_OF(SSL_CIPHER) *stack);
/// The cipher suite at a position of a list.
const SSL_CIPHER *COpenSSLShims_sk_SSL_CIPHER_value(const STACK_OF(SSL_CIPHER) *stack, int index);
int COpenSSLShims_sk_X509_num(const STACK_OF(X509) *stack);
X509 *COpenSSLShims_sk_X509_value(const STACK_OF(X509) *stack, int index);
STACK_OF(X509) *COpenSSLShims_sk_X509_new_null(void);
int COpenSSLShims_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate);
void COpenSSLShims_sk_X509_free(STACK_OF(X509) *stack);
void COpenSSLShims_sk_X509_pop_free(STACK_OF(X509) *stack);
int COpenSSLShims_sk_GENERAL_NAME_num(const STACK_OF(GENERAL_NAME) *stack);
GENERAL_NAME *COpenSSLShims_sk_GENERAL_NAME_value(const STACK_OF(GENERAL_NAME) *stack, int index);
STACK_OF(GENERAL_NAME) *COpenSSLShims_sk_GENERAL_NAME_new_null(void);
int COpenSSLShims_sk_GENERAL_NAME_push(STACK_OF(GENERAL_NAME) *stack, GENERAL_NAME *name);
int COpenSSLShims_sk_ASN1_OBJECT_num(const STACK_OF(ASN1_OBJECT) *stack);
ASN1_OBJECT *COpenSSLShims_sk_ASN1_OBJECT_value(const STACK_OF(ASN1_OBJECT) *stack, int index);
int COpenSSLShims_sk_ACCESS_DESCRIPTION_num(const STACK_OF(ACCESS_DESCRIPTION) *stack);
ACCESS_DESCRIPTION *COpenSSLShims_sk_ACCESS_DESCRIPTION_value(const STACK_OF(ACCESS_DESCRIPTION) *stack, int index);

// Certificates. These take and return types that are opaque from OpenSSL 4 on, so that Swift need not spell them.
const unsigned char *COpenSSLShims_ASN1_STRING_get0_data(const void *string);
int COpenSSLShims_ASN1_STRING_length(const void *string);
int COpenSSLShims_ASN1_STRING_to_UTF8(unsigned char **out, const void *string);
EVP_PKEY *COpenSSLShims_EVP_EC_gen(const char *curve);
EVP_PKEY *COpenSSLShims_EVP_RSA_gen(unsigned int bits);

// TLS.
uint64_t COpenSSLShims_SSL_OP_LEGACY_SERVER_CONNECT(void);
uint64_t COpenSSLShims_SSL_OP_NO_TICKET(void);
uint64_t COpenSSLShims_SSL_OP_CIPHER_SERVER_PREFERENCE(void);
uint64_t COpenSSLShims_SSL_OP_NO_COMPRESSION(void);
uint64_t COpenSSLShims_SSL_OP_NO_RENEGOTIATION(void);
int COpenSSLShims_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version);
int COpenSSLShims_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version);
int COpenSSLShims_SSL_set_min_proto_version(SSL *ssl, int version);
int COpenSSLShims_SSL_set_max_proto_version(SSL *ssl, int version);
long COpenSSLShims_SSL_CTX_set_mode(SSL_CTX *context, long mode);
long COpenSSLShims_SSL_CTX_set_max_cert_list(SSL_CTX *context, long bytes);
long COpenSSLShims_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode);
long COpenSSLShims_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate);
long COpenSSLShims_SSL_CTX_set_tlsext_servername_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *));
long COpenSSLShims_SSL_CTX_set_dh_auto(SSL_CTX *context, long on);
int COpenSSLShims_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *groups);
int COpenSSLShims_SSL_set_tlsext_host_name(SSL *ssl, const char *name);
long COpenSSLShims_SSL_set1_sigalgs_list(SSL *ssl, const char *algorithms);
long COpenSSLShims_SSL_set1_client_sigalgs_list(SSL *ssl, const char *algorithms);
long COpenSSLShims_SSL_add1_chain_cert(SSL *ssl, X509 *certificate);
int COpenSSLShims_SSL_get_negotiated_group(SSL *ssl);
long COpenSSLShims_SSL_set1_groups_list(SSL *ssl, const char *list);
long COpenSSLShims_SSL_get_peer_tmp_key(SSL *ssl, EVP_PKEY **key);
long COpenSSLShims_SSL_set_tlsext_status_type(SSL *ssl, int type);
long COpenSSLShims_SSL_get_tlsext_status_ocsp_resp(SSL *ssl, const unsigned char **response);
long COpenSSLShims_SSL_set_tlsext_status_ocsp_resp(SSL *ssl, unsigned char *response, long count);
long COpenSSLShims_SSL_CTX_set_tlsext_status_cb(SSL_CTX *context, int (*callback)(SSL *, void *));

// The longest prime of a Diffie-Hellman group that is computed with.
enum { COpenSSLShims_DH_BITS_MAX = 4096 };
// Has handshakes refuse longer ones, as they refuse short ones, and leaves those with a name out of the offer.
//
// A server chooses the group and what it costs: OpenSSL takes 10,000 bits, which are a second of a client's time and none of the server's.
// A name makes the exponents short, but to see that the server's key is of the group costs a whole one: 110 ms for 8,192 bits.
void COpenSSLShims_SSL_CTX_limit_dh(SSL_CTX *context);
// Takes longer groups that have a name, for a connection whose groups somebody chose.
void COpenSSLShims_SSL_allow_named_dh(SSL *ssl);
// Why OpenSSL is not to read certificates: they are not in the form that was examined, or cost too much to read.
enum {
    COpenSSLShims_CERTIFICATES_MANY = 1,
    COpenSSLShims_CERTIFICATES_OWN_CURVE,
    COpenSSLShims_CERTIFICATES_COSTLY,
    COpenSSLShims_CERTIFICATES_UNREADABLE,
    // More keys of one kind than this are not read.
    COpenSSLShims_COMPRESSED_POINTS_MAX = 8,
    COpenSSLShims_DESCRIBED_CURVES_MAX = 8,
    // More bytes than a private key has, but RSA's and ML-DSA's: OpenSSL computes the public half of some.
    COpenSSLShims_PRIVATE_KEY_MAX = 2048
};
// Looks at certificates and keys before OpenSSL reads them; each returns one of those, or 0 where nothing is against it.
//
// A Certificate message (RFC 8446, 4.4.2, or without a context RFC 5246, 7.4.2).
int COpenSSLShims_certificate_message(const unsigned char *message, size_t length, int hasContext, size_t mostCertificates);
// A certificate (RFC 5280, 4.1), whatever follows it.
int COpenSSLShims_certificate(const unsigned char *certificate, size_t length);
// A SubjectPublicKeyInfo (RFC 5280, 4.1), whatever follows it.
int COpenSSLShims_public_key(const unsigned char *key, size_t length);
// A certification request (RFC 2986, 4.1), whatever follows it.
int COpenSSLShims_request(const unsigned char *request, size_t length);
// A private key without a passphrase: PKCS #8, PKCS #1 or SEC 1.
int COpenSSLShims_private_key(const unsigned char *key, size_t length);
// The certificates in PKCS #7 SignedData (RFC 5652, 5.1), in DER or BER.
int COpenSSLShims_signed_data(const unsigned char *message, size_t length);
// An OCSP response (RFC 6960, 4.2.1).
int COpenSSLShims_staple(const unsigned char *response, size_t length, size_t mostCertificates);
// Makes OpenSSL refuse a Certificate message that it is about to read: for a message callback, which cannot refuse any.
void COpenSSLShims_spoil(void *message, size_t length);
// Called while a certificate is verified: has SSL_do_handshake stop there, with SSL_ERROR_WANT_RETRY_VERIFY, and verify again when it goes on.
int COpenSSLShims_SSL_set_retry_verify(SSL *ssl);
// A Diffie-Hellman group for tests: a modulus of so many bits, which is no prime, and 2; NULL when OpenSSL refuses it.
EVP_PKEY *COpenSSLShims_EVP_DH_group(int bits);

#endif
