/* SPDX-License-Identifier: MIT
   host_tools/formats/hjson.h - JSON of Houdini, as text and in its binary form: token by token.
   reads   bytes of one file               writes  -
   memory  16 bytes per shared string, at most 1 MiB    cost    O(bytes)
   after   RFC 8259; SideFX's description of binary JSON (UT_JSONDefines.h of its kit) */
#ifndef TIDEPOOL_HJSON_H
#define TIDEPOOL_HJSON_H
#include "numbered.h"

typedef enum hjson_kind {
    HJSON_END, /* the bytes are used up */
    HJSON_LIST,
    HJSON_LIST_END,
    HJSON_MAP,
    HJSON_MAP_END,
    HJSON_TEXT,
    HJSON_NUMBER,
    HJSON_BOOL,
    HJSON_NULL,
    HJSON_UNIFORM /* binary: a list whose items have one type */
} hjson_kind;

/* Types of numbers and of items in a binary file; 0: a number that is text. */
enum {
    HJSON_IS_TEXT = 0,
    HJSON_BOOL_TYPE = 0x10,
    HJSON_INT8 = 0x11,
    HJSON_INT16 = 0x12,
    HJSON_INT32 = 0x13,
    HJSON_INT64 = 0x14,
    HJSON_REAL16 = 0x18,
    HJSON_REAL32 = 0x19,
    HJSON_REAL64 = 0x1a,
    HJSON_UINT8 = 0x21,
    HJSON_UINT16 = 0x22,
    HJSON_TOKEN_TYPE = 0x26,
    HJSON_TEXT_TYPE = 0x27
};

typedef struct hjson_token {
    hjson_kind kind;
    uint32_t type;        /* of NUMBER, and of the items of UNIFORM */
    const uint8_t *at;    /* first byte of the token */
    const uint8_t *bytes; /* of TEXT and NUMBER; of the items of UNIFORM */
    uint64_t count;       /* bytes of TEXT, and of a NUMBER that is text; items of UNIFORM */
    bool is_true;         /* of BOOL */
} hjson_token;

typedef struct hjson_string {
    const uint8_t *bytes; /* NULL: not defined */
    uint64_t size;
} hjson_string;

/* A copy of a reader continues at the same byte; only the first is closed. */
typedef struct hjson_reader {
    const host_piece *piece;
    const uint8_t *at, *end;
    bool is_binary, is_big_endian;
    hjson_string *strings; /* that tokens refer to by number */
    size_t string_count;
} hjson_reader;

/* True for the first bytes of either form. */
bool hjson_recognises(const uint8_t *start, size_t size);
bool hjson_recognises_text(const uint8_t *start, size_t size);

void hjson_open(hjson_reader *reader, const host_piece *piece);
void hjson_close(hjson_reader *reader);
/* The next token. HOST_DONE, or the error printed. */
int hjson_next(hjson_reader *reader, hjson_token *token);
/* The same where the file must go on: HJSON_END is an error. */
int hjson_need(hjson_reader *reader, hjson_token *token);
/* Skips one value, of any depth. O(bytes), in binary files O(1) for a uniform list. */
int hjson_skip(hjson_reader *reader);
/* Prints an error at a byte, in text with its line. Returns HOST_BAD_INPUT. */
int hjson_error(const hjson_reader *reader, const uint8_t *at, const char *format, ...);
/* Prints that the token is not what was expected. Returns HOST_BAD_INPUT. */
int hjson_unexpected(const hjson_reader *reader, const hjson_token *token, const char *expected);

/* ---- lists and maps of names and values: [name, value, ...] or {name: value, ...} */

typedef struct hjson_pairs {
    hjson_kind end; /* HJSON_LIST_END or HJSON_MAP_END */
} hjson_pairs;
/* Begins with the next token, which must open a list or a map; `what` names it in messages. */
int hjson_pairs_open(hjson_reader *reader, hjson_pairs *pairs, const char *what);
/* The next name; its value follows and is the caller's to read. *is_open false: the end. */
int hjson_pairs_next(hjson_reader *reader, const hjson_pairs *pairs, hjson_token *name,
                     bool *is_open);
bool hjson_is(const hjson_token *token, const char *text);

/* ---- lists of numbers or truth values, uniform or not */

typedef struct hjson_items {
    hjson_token list;
    uint64_t next;
} hjson_items;
int hjson_items_open(hjson_reader *reader, hjson_items *items, const char *what);
/* The next item, a NUMBER or a BOOL; of a list of lists also LIST or UNIFORM. *is_open false: the
   end. */
int hjson_items_next(hjson_reader *reader, hjson_items *items, hjson_token *item, bool *is_open);

/* ---- values */

/* The value of a NUMBER. False: a text that is no number. */
bool hjson_number(const hjson_reader *reader, const hjson_token *token, double *value);
/* The same as the bits of a 32-bit float; those of a 32-bit float in the file are unchanged. NULL,
   or what was expected. */
const char *hjson_f32(const hjson_reader *reader, const hjson_token *token, uint32_t *bits);
/* Reads a whole number from `least` to `most`. HOST_DONE, or the error printed. */
int hjson_take_whole(hjson_reader *reader, const char *what, int64_t least, int64_t most,
                     int64_t *value);

#endif
