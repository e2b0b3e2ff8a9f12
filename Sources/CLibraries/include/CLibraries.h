// The C libraries other than OpenSSL: Expat, and three that are loaded (dlopen) when they are needed. Linked, libidn2
// and libpsl would cost every start 0.3 ms and 0.5 MiB, libarchive with its own libraries 2.8 ms.
#pragma once
#include <expat.h>
#include <stdint.h>
#include <sys/types.h>

struct archive;
struct archive_entry;
typedef ssize_t CArchive_read_callback(struct archive *archive, void *data, const void **buffer);
typedef int64_t CArchive_seek_callback(struct archive *archive, void *data, int64_t offset, int whence);

// The result, name and parameters of each function, as in the headers of the libraries.
#define CArchive_EACH(do)                                                                                              \
    do(struct archive *, archive_read_new, (void))                                                                     \
    do(int, archive_read_free, (struct archive *))                                                                     \
    do(int, archive_read_support_format_zip_seekable, (struct archive *))                                              \
    do(int, archive_read_set_callback_data, (struct archive *, void *data))                                            \
    do(int, archive_read_set_read_callback, (struct archive *, CArchive_read_callback *))                              \
    do(int, archive_read_set_seek_callback, (struct archive *, CArchive_seek_callback *))                              \
    do(int, archive_read_open1, (struct archive *))                                                                    \
    do(int, archive_read_next_header, (struct archive *, struct archive_entry **))                                     \
    do(ssize_t, archive_read_data, (struct archive *, void *buffer, size_t count))                                     \
    do(const char *, archive_error_string, (struct archive *))                                                         \
    do(const char *, archive_entry_pathname, (struct archive_entry *))                                                 \
    do(const char *, archive_entry_pathname_utf8, (struct archive_entry *))                                            \
    do(mode_t, archive_entry_filetype, (struct archive_entry *))                                                       \
    do(const char *, archive_entry_symlink, (struct archive_entry *))                                                  \
    do(int, archive_entry_is_data_encrypted, (struct archive_entry *))
#define CIDN2_EACH(do) do(int, idn2_to_ascii_8z, (const char *, char **, int)) do(void, idn2_free, (void *))
#define CPSL_EACH(do)                                                                                                  \
    do(const struct psl_ctx_st *, psl_builtin, (void))                                                                 \
    do(int, psl_is_public_suffix2, (const struct psl_ctx_st *, const char *domain, int type))                          \
    do(const char *, psl_unregistrable_domain, (const struct psl_ctx_st *, const char *domain))

// NAME_load loads the library and fills in its functions; returns NULL, or the reason why it could not.
#define CLibraries_MEMBER(result, name, parameters) result(*name) parameters;
#define CLibraries_TABLE(NAME)                                                                                         \
    struct NAME { NAME##_EACH(CLibraries_MEMBER) };                                                                    \
    const char *NAME##_load(struct NAME *functions);
CLibraries_TABLE(CArchive) CLibraries_TABLE(CIDN2) CLibraries_TABLE(CPSL)
// IDNA 2008 without transition; registries' suffixes; those of both sections without the rule for all other names.
enum { CIDN2_FLAGS = 1 | 8, CPSL_ICANN = 1, CPSL_ANY_RULE = 3 | 4 };
enum { CArchive_EOF = 1, CArchive_OK = 0, CArchive_WARN = -20, CArchive_FATAL = -30 };
