// Expat's functions for reading XML piece by piece, looked up when a document is read (dlopen).
#ifndef CEXPAT_H
#define CEXPAT_H

struct XML_ParserStruct;

typedef void CExpat_start_element(void *data, const char *name, const char **attributes);
typedef void CExpat_end_element(void *data, const char *name);
typedef void CExpat_text(void *data, const char *text, int length);
typedef void CExpat_document_type(void *data, const char *name, const char *system, const char *public_, int has_subset);

// Each member is the function of Expat that is called XML_ and the member's name. Expat's enumerations are unsigned here.
struct CExpat {
    struct XML_ParserStruct *(*ParserCreate)(const char *encoding);
    void (*ParserFree)(struct XML_ParserStruct *parser);
    void (*SetUserData)(struct XML_ParserStruct *parser, void *data);
    void (*SetElementHandler)(struct XML_ParserStruct *parser, CExpat_start_element *start, CExpat_end_element *end);
    void (*SetCharacterDataHandler)(struct XML_ParserStruct *parser, CExpat_text *text);
    void (*SetStartDoctypeDeclHandler)(struct XML_ParserStruct *parser, CExpat_document_type *start);
    unsigned long (*GetCurrentLineNumber)(struct XML_ParserStruct *parser);
    unsigned (*Parse)(struct XML_ParserStruct *parser, const char *bytes, int count, int is_final);
    unsigned (*StopParser)(struct XML_ParserStruct *parser, unsigned char is_resumable);
    unsigned (*GetErrorCode)(struct XML_ParserStruct *parser);
    const char *(*ErrorString)(unsigned code);
};

// The value that calls return where all went well.
enum { CExpat_OK = 1 };

// Loads the library and fills in its functions. Returns NULL, or the reason for which that was not possible.
const char *CExpat_load(struct CExpat *functions);

#endif
