/* SPDX-License-Identifier: MIT
   host_tools/formats/pvd.c - ParaView's lists of files with times, .pvd.
   reads   a list                          writes  a list
   memory  the names of the files          cost    O(files log files)
   after   ParaView Data (PVD) file format, a Collection of DataSets */
#include "vtk_xml.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 1 << 26 };

bool pvd_recognises(const uint8_t *start, size_t size)
{
    text_word found;
    xml_tag tag;
    const char *at = (const char *)start, *end = at + size;
    return xml_take_tag(&at, end, &tag) && text_is(tag.name, "VTKFile") &&
           xml_attribute(&tag, "type", &found) && text_is(found, "Collection");
}

/* ---- reading */

/* A time is a number if it is whole; *is_whole becomes false at the first other one. */
static int add_file(numbered_files *found, const xml_tag *tag, const char *path, uint64_t offset,
                    bool *is_whole)
{
    text_word file, time;
    double value = -1;
    if (!xml_attribute(tag, "file", &file) || !file.length)
        return host_error(HOST_BAD_INPUT, path, offset, "expected a DataSet with a file");
    if (!xml_attribute(tag, "timestep", &time) || !text_parse_f64(time, &value)) value = -1;
    bool fits = value >= 0 && value <= INT32_MAX && value == floor(value);
    *is_whole &= fits;
    char *name = host_text("%.*s", (int)file.length, file.text);
    if (name) xml_decode(name);
    size_t length = name ? strlen(name) : 0;
    names_parts parts = {length, length, 0, fits ? (int64_t)value : 0};
    int code = name ? names_add(&found->files, name, &parts) : host_out_of_memory("a path");
    free(name);
    return code;
}

static int read_list(numbered_files *found, const char *path, const char *text, size_t size)
{
    xml_tag tag;
    int code = HOST_DONE;
    bool is_whole = true, has_end = false;
    const char *at = text;
    while (!code && xml_take_tag(&at, text + size, &tag)) {
        has_end |= tag.closes && text_is(tag.name, "VTKFile");
        if (!tag.closes && text_is(tag.name, "DataSet"))
            code = add_file(found, &tag, path, (uint64_t)(tag.name.text - text), &is_whole);
    }
    if (!code && !has_end)
        code = host_error(HOST_BAD_INPUT, path, size,
                          "the list ends inside its tags; it is incomplete");
    for (size_t i = 0; !code && !is_whole && i < found->files.count; i++)
        found->files.entries[i].number = (int64_t)i + 1;
    if (!code && !is_whole)
        host_note(path, HOST_NO_OFFSET,
                  "the times are no whole numbers: the frames are counted from 1");
    return code;
}

static int compare_numbers(const void *a, const void *b)
{
    const names_entry *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

int pvd_find(numbered_files *found, const char *path)
{
    uint8_t *bytes;
    size_t size;
    const char *slash = strrchr(path, '/');
    found->folder =
        slash ? host_text("%.*s", (int)(slash > path ? slash - path : 1), path) : host_text(".");
    const char *file = slash ? slash + 1 : path;
    size_t stem = host_format_stem(file, ".pvd");
    found->name = host_text("%.*s", (int)(stem == SIZE_MAX ? strlen(file) : stem), file);
    found->given = SIZE_MAX;
    if (!found->folder || !found->name) return host_out_of_memory("a path");
    int code = host_read_limited(path, "a list of files", LIST_MAX, &bytes, &size);
    if (code) return code;
    code = read_list(found, path, (const char *)bytes, size);
    free(bytes);
    if (!code && !found->files.count)
        return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "the list names no file");
    if (!code)
        qsort(found->files.entries, found->files.count, sizeof *found->files.entries,
              compare_numbers);
    for (size_t i = 1; !code && i < found->files.count; i++)
        if (found->files.entries[i].number == found->files.entries[i - 1].number)
            code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                              "%s and %s have the same time; files of several parts are not read",
                              found->files.entries[i - 1].file, found->files.entries[i].file);
    return code;
}

/* ---- writing */

/* A name as the value of an attribute. */
static void put_name(FILE *stream, const char *name)
{
    for (; *name; name++) {
        const char *entity = *name == '&'   ? "&amp;"
                             : *name == '<' ? "&lt;"
                             : *name == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            fputs(entity, stream);
        else
            fputc(*name, stream);
    }
}

int pvd_write(const char *path, const names_list *files)
{
    host_output output;
    int code = host_output_open(&output, path);
    if (code) return code;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n",
        output.stream);
    for (size_t i = 0; i < files->count; i++) {
        fprintf(output.stream, "    <DataSet timestep=\"%lld\" group=\"\" part=\"0\" file=\"",
                (long long)files->entries[i].number);
        put_name(output.stream, files->entries[i].file);
        fputs("\"/>\n", output.stream);
    }
    fputs("  </Collection>\n</VTKFile>\n", output.stream);
    return host_output_close(&output, true);
}
