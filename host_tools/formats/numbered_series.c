/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered_series.c - lists the files of a sequence with their times, for
           ParaView.
   reads   names of a folder               writes  NAME.ENDING.series
   memory  the names of the files          cost    O(files log files)
   after   ParaView's file series, version 1.0: a JSON object with an array of names and times */
#include "numbered.h"
#include <stdlib.h>
#include <string.h>

/* A names_rule: every frame of the sequence, also of other shares, but no file without a number. */
static bool is_frame(const char *file_name, const void *context, names_parts *parts)
{
    numbered_pattern all = *(const numbered_pattern *)context;
    all.plain = NULL;
    all.first = INT64_MIN;
    all.last = INT64_MAX;
    if (!numbered_is_at(file_name, &all)) return false;
    size_t before = strlen(all.before), after = strlen(file_name) - strlen(all.after);
    *parts = (names_parts){before, after, strlen(all.after), 0};
    for (size_t i = before; i < after; i++)
        parts->number = parts->number * 10 + (file_name[i] - '0');
    return true;
}

int series_write(const char *path, const names_list *files)
{
    host_output output;
    int code = host_output_open(&output, path);
    if (code) return code;
    fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n", output.stream);
    for (size_t i = 0; i < files->count; i++) {
        fputs("    {\"name\": ", output.stream);
        host_json_text(output.stream, files->entries[i].file);
        fprintf(output.stream, ", \"time\": %lld}%s\n", (long long)files->entries[i].number,
                i + 1 < files->count ? "," : "");
    }
    fputs("  ]\n}\n", output.stream);
    return host_output_close(&output, true);
}

/* The list is named as the sequence without numbers: a.vtk.series for a.0001.vtk or a_0001.vtk. */
static char *list_path(const numbered_pattern *pattern, const host_format *format)
{
    size_t length = strlen(pattern->before),
           stem = host_format_stem(pattern->after, format->ending);
    while (length && strchr("._-", pattern->before[length - 1])) length--;
    return host_text("%s/%.*s%.*s%s", pattern->folder, length ? (int)length : 6,
                     length ? pattern->before : "frames", stem == SIZE_MAX ? 0 : (int)stem,
                     pattern->after, format->list_ending);
}

/* Another share may put its files in place while this one writes the list. So the list is written
   until no file was added meanwhile: the last of several shares lists all. */
int numbered_write_list(const numbered_pattern *pattern, const host_format *format)
{
    size_t written = 0;
    char *path = list_path(pattern, format);
    int code = path ? HOST_DONE : host_out_of_memory("a path");
    for (bool is_complete = false; !code && !is_complete;) {
        names_list files;
        code = names_scan(&files, pattern->folder, pattern->folder, is_frame, pattern);
        is_complete = !code && files.count == written;
        written = files.count;
        if (!code && !is_complete) code = format->write_list(path, &files);
        names_free(&files);
    }
    free(path);
    return code;
}
