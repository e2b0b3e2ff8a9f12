#include "COpenSSLShims.h"

void COpenSSLShims_OPENSSL_free(void *memory) {
    OPENSSL_free(memory);
}

void *COpenSSLShims_OPENSSL_memdup(const void *memory, size_t count) {
    return OPENSSL_memdup(memory, count);
}

long COpenSSLShims_BIO_get_mem_data(BIO *bio, const char **data) {
    return BIO_get_mem_data(bio, (char **)data);
}

long COpenSSLShims_BIO_set_mem_eof_return(BIO *bio, long value) {
    return BIO_set_mem_eof_return(bio, value);
}

int COpenSSLShims_sk_SSL_CIPHER_num(const STACK_OF(SSL_CIPHER) *stack) {
    return sk_SSL_CIPHER_num(stack);
}

const SSL_CIPHER *COpenSSLShims_sk_SSL_CIPHER_value(const STACK_OF(SSL_CIPHER) *stack, int index) {
    return sk_SSL_CIPHER_value(stack, index);
}

int COpenSSLShims_sk_X509_num(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

X509 *COpenSSLShims_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

STACK_OF(X509) *COpenSSLShims_sk_X509_new_null(void) {
    return sk_X509_new_null();
}

int COpenSSLShims_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

void COpenSSLShims_sk_X509_free(STACK_OF(X509) *stack) {
    sk_X509_free(stack);
}

void COpenSSLShims_sk_X509_pop_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

int COpenSSLShims_sk_GENERAL_NAME_num(const STACK_OF(GENERAL_NAME) *stack) {
    return sk_GENERAL_NAME_num(stack);
}

GENERAL_NAME *COpenSSLShims_sk_GENERAL_NAME_value(const STACK_OF(GENERAL_NAME) *stack, int index) {
    return sk_GENERAL_NAME_value(stack, index);
}

STACK_OF(GENERAL_NAME) *COpenSSLShims_sk_GENERAL_NAME_new_null(void) {
    return sk_GENERAL_NAME_new_null();
}

int COpenSSLShims_sk_GENERAL_NAME_push(STACK_OF(GENERAL_NAME) *stack, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(stack, name);
}

int COpenSSLShims_sk_ASN1_OBJECT_num(const STACK_OF(ASN1_OBJECT) *stack) {
    return sk_ASN1_OBJECT_num(stack);
}

ASN1_OBJECT *COpenSSLShims_sk_ASN1_OBJECT_value(const STACK_OF(ASN1_OBJECT) *stack, int index) {
    return sk_ASN1_OBJECT_value(stack, index);
}

int COpenSSLShims_sk_ACCESS_DESCRIPTION_num(const STACK_OF(ACCESS_DESCRIPTION) *stack) {
    return sk_ACCESS_DESCRIPTION_num(stack);
}

ACCESS_DESCRIPTION *COpenSSLShims_sk_ACCESS_DESCRIPTION_value(const STACK_OF(ACCESS_DESCRIPTION) *stack, int index) {
    return sk_ACCESS_DESCRIPTION_value(stack, index);
}

const unsigned char *COpenSSLShims_ASN1_STRING_get0_data(const void *string) {
    return ASN1_STRING_get0_data(string);
}

int COpenSSLShims_ASN1_STRING_length(const void *string) {
    return ASN1_STRING_length(string);
}

int COpenSSLShims_ASN1_STRING_to_UTF8(unsigned char **out, const void *string) {
    return ASN1_STRING_to_UTF8(out, string);
}

EVP_PKEY *COpenSSLShims_EVP_EC_gen(const char *curve) {
    return EVP_EC_gen(curve);
}

EVP_PKEY *COpenSSLShims_EVP_RSA_gen(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

uint64_t COpenSSLShims_SSL_OP_LEGACY_SERVER_CONNECT(void) {
    return SSL_OP_LEGACY_SERVER_CONNECT;
}

uint64_t COpenSSLShims_SSL_OP_NO_TICKET(void) {
    return SSL_OP_NO_TICKET;
}

uint64_t COpenSSLShims_SSL_OP_CIPHER_SERVER_PREFERENCE(void) {
    return SSL_OP_CIPHER_SERVER_PREFERENCE;
}

uint64_t COpenSSLShims_SSL_OP_NO_COMPRESSION(void) {
    return SSL_OP_NO_COMPRESSION;
}

uint64_t COpenSSLShims_SSL_OP_NO_RENEGOTIATION(void) {
    return SSL_OP_NO_RENEGOTIATION;
}

int COpenSSLShims_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

int COpenSSLShims_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}

int COpenSSLShims_SSL_set_min_proto_version(SSL *ssl, int version) {
    return SSL_set_min_proto_version(ssl, version);
}

int COpenSSLShims_SSL_set_max_proto_version(SSL *ssl, int version) {
    return SSL_set_max_proto_version(ssl, version);
}

int COpenSSLShims_SSL_set_retry_verify(SSL *ssl) {
    return SSL_set_retry_verify(ssl) > 0;
}

long COpenSSLShims_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

long COpenSSLShims_SSL_CTX_set_max_cert_list(SSL_CTX *context, long bytes) {
    return SSL_CTX_set_max_cert_list(context, bytes);
}

long COpenSSLShims_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

long COpenSSLShims_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}

long COpenSSLShims_SSL_CTX_set_tlsext_servername_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    return SSL_CTX_set_tlsext_servername_callback(context, callback);
}

int COpenSSLShims_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *groups) {
    return SSL_CTX_set1_groups_list(context, groups);
}

int COpenSSLShims_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

long COpenSSLShims_SSL_set1_sigalgs_list(SSL *ssl, const char *algorithms) {
    return SSL_set1_sigalgs_list(ssl, algorithms);
}

long COpenSSLShims_SSL_set1_client_sigalgs_list(SSL *ssl, const char *algorithms) {
    return SSL_set1_client_sigalgs_list(ssl, algorithms);
}

long COpenSSLShims_SSL_add1_chain_cert(SSL *ssl, X509 *certificate) {
    return SSL_add1_chain_cert(ssl, certificate);
}

int COpenSSLShims_SSL_get_negotiated_group(SSL *ssl) {
    return SSL_get_negotiated_group(ssl);
}

long COpenSSLShims_SSL_set1_groups_list(SSL *ssl, const char *list) {
    return SSL_set1_groups_list(ssl, list);
}

long COpenSSLShims_SSL_get_peer_tmp_key(SSL *ssl, EVP_PKEY **key) {
    return SSL_get_peer_tmp_key(ssl, key);
}

long COpenSSLShims_SSL_set_tlsext_status_type(SSL *ssl, int type) {
    return SSL_set_tlsext_status_type(ssl, type);
}

long COpenSSLShims_SSL_get_tlsext_status_ocsp_resp(SSL *ssl, const unsigned char **response) {
    return SSL_get_tlsext_status_ocsp_resp(ssl, response);
}

long COpenSSLShims_SSL_set_tlsext_status_ocsp_resp(SSL *ssl, unsigned char *response, long count) {
    return SSL_set_tlsext_status_ocsp_resp(ssl, response, count);
}

long COpenSSLShims_SSL_CTX_set_tlsext_status_cb(SSL_CTX *context, int (*callback)(SSL *, void *)) {
    return SSL_CTX_set_tlsext_status_cb(context, callback);
}

long COpenSSLShims_SSL_CTX_set_dh_auto(SSL_CTX *context, long on) {
    return SSL_CTX_set_dh_auto(context, on);
}
