/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk_xml_tags.c - tags of XML files and their attributes.
   reads   text                            writes  xml_tag
   memory  -                               cost    O(bytes)
   after   XML 1.0; what VTK and ParaView write of it: the five entities, no CDATA */
#include "vtk_xml.h"
#include <string.h>

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

static const char *find(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (!at) return NULL;
        if (memcmp(at, text, length) == 0) return at + length;
    }
    return NULL;
}

/* The end of a tag: the first > outside of quotes. */
static const char *find_close(const char *at, const char *end)
{
    for (char quote = 0; at < end; at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (!quote && *at == '>')
            return at;
    }
    return NULL;
}

bool xml_take_tag(const char **at, const char *end, xml_tag *tag)
{
    const char *open = *at;
    for (;;) {
        open = open < end ? memchr(open, '<', (size_t)(end - open)) : NULL;
        if (!open || end - open < 3) return false;
        bool is_comment = end - open >= 4 && memcmp(open, "<!--", 4) == 0;
        if (open[1] != '?' && open[1] != '!') break;
        open = find(open, end, is_comment ? "-->" : open[1] == '?' ? "?>" : ">");
        if (!open) return false;
    }
    const char *close = find_close(open, end), *name = open + 1;
    if (!close) return false;
    tag->closes = *name == '/';
    tag->is_empty = close[-1] == '/';
    name += tag->closes;
    const char *stop = name;
    while (stop < close && !is_blank(*stop) && *stop != '/') stop++;
    tag->name = (text_word){name, (size_t)(stop - name)};
    tag->attributes = (text_word){stop, (size_t)(close - stop)};
    *at = tag->after = close + 1;
    return true;
}

bool xml_attribute(const xml_tag *tag, const char *name, text_word *value)
{
    const char *at = tag->attributes.text, *end = at + tag->attributes.length;
    while (at < end) {
        while (at < end && is_blank(*at)) at++;
        text_word key = {at, 0};
        while (at < end && *at != '=' && !is_blank(*at)) at++;
        key.length = (size_t)(at - key.text);
        while (at < end && (is_blank(*at) || *at == '=')) at++;
        if (at == end) return false;
        char quote = *at++;
        const char *stop = at < end ? memchr(at, quote, (size_t)(end - at)) : NULL;
        if ((quote != '"' && quote != '\'') || !stop) return false;
        if (text_is(key, name)) {
            *value = (text_word){at, (size_t)(stop - at)};
            return true;
        }
        at = stop + 1;
    }
    return false;
}

void xml_decode(char *value)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    static const char letters[] = "&<>\"'";
    char *to = value;
    for (const char *from = value; *from;) {
        size_t k = 0;
        while (letters[k] && strncmp(from, entities[k], strlen(entities[k])) != 0) k++;
        *to++ = letters[k] ? letters[k] : *from;
        from += letters[k] ? strlen(entities[k]) : 1;
    }
    *to = 0;
}
