/* SPDX-License-Identifier: MIT
   host_tools/formats/npy.c - reads NumPy arrays: one per stream, of all frames or of each frame.
   reads   NAME_location.npy and the other streams' arrays    writes  host_sequence, host_frame
   memory  12 bytes per frame; one frame    cost    O(files) to open; with index arrays O(their
           bytes)
   after   own design: the name of the sequence, then _ and the name of the stream */
#include "npz.h"
#include "numbered.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limit on frames in one array. An array with more is taken for other data, and refused. */
#define FRAMES_MAX (1u << 20)

typedef struct npy_state {
    numbered_files found; /* the arrays of locations */
    /* per array of locations: mask of the streams beside it, fixed at opening */
    uint32_t *streams;
    /* names end in _location and the like; false: one array without such a name */
    bool has_streams;
    bool is_stacked;  /* one array holds all frames */
    bool is_archive;  /* the files are .npz archives of all arrays */
    bool is_learned;  /* the archives were checked */
    npz_file archive; /* the one that was read last */
    size_t archive_file;
} npy_state;

/* End of the name of a sequence inside a file name: before its * or number, else before the
   ending. */
static const char *tail_of(const char *file, bool has_number)
{
    numbered_name parsed;
    const char *star = strchr(file, '*');
    size_t end = strlen(file);
    if (star)
        end = (size_t)(star - file);
    else if (has_number && numbered_parse(file, ".npy", &parsed))
        end = parsed.before;
    else if (end >= 4 && strcmp(file + end - 4, ".npy") == 0)
        return file + end - 4;
    while (end > 0 && strchr("._-", file[end - 1])) end--;
    return file + end;
}

/* Length of a name without "_velocity" and the like, or "_frame" (the array of frame numbers). */
static size_t length_without_stream(const char *file, size_t length)
{
    for (uint32_t s = 0; s <= POINT_STREAMS; s++) {
        const char *stream = s < POINT_STREAMS ? point_streams[s].name : "frame";
        size_t name = strlen(stream);
        if (length > name && file[length - name - 1] == '_' &&
            memcmp(file + length - name, stream, name) == 0)
            return length - name - 1;
    }
    return length;
}

/* The arrays of all streams belong to one sequence, whether they hold all frames or have a number
   each. */
bool npy_rule(const char *file_name, const void *ending, names_parts *parts)
{
    if (!numbered_rule(file_name, ending, parts)) return false;
    bool has_number = parts->number != NAMES_NO_NUMBER;
    size_t length = (size_t)(tail_of(file_name, has_number) - file_name);
    size_t before = length_without_stream(file_name, length);
    if (before == length) return true;
    parts->before = before;
    if (!has_number) parts->after_length = 0, parts->number = 0;
    return true;
}

/* DIR/NAME_location.npy for DIR/NAME.npy, DIR/NAME_location.0001.npy for
   DIR/NAME_velocity.0001.npy. */
static char *location_path(const char *path, bool has_number, bool *names_stream)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *tail = tail_of(file, has_number);
    size_t length = length_without_stream(file, (size_t)(tail - file));
    *names_stream = length != (size_t)(tail - file);
    return host_text("%.*s_location%s", (int)((size_t)(file - path) + length), path, tail);
}

/* Path of the first array of the only sequence in a folder, in malloc memory. HOST_DONE with NULL
   when `path` is no folder. */
static int first_array(const char *path, char **first)
{
    struct stat status;
    names_list list;
    *first = NULL;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return HOST_DONE;
    int code = names_scan(&list, path, path, npy_rule, ".npy");
    if (!code && !list.count)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "the folder holds no .npy files");
    if (!code && names_end(&list, 0) < list.count)
        code = host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "the folder holds several sequences of .npy files; name one: '%s/%s.npy'",
                          path, list.entries[0].before);
    if (!code && !(*first = host_text("%s/%s", path, list.entries[0].file)))
        code = host_out_of_memory("a path");
    names_free(&list);
    return code;
}

/* An existing file is taken as the array of locations, unless its name is that of a stream. A digit
   at the end may belong to the name: NAME2 is tried as a name first, then as number 2 of NAME. */
static int find_files(host_sequence *sequence, const char *path)
{
    struct stat status;
    npy_state *state = sequence->state;
    char *location = NULL;
    if (state->is_archive) {
        state->has_streams = true;
        return numbered_find(&state->found, path, sequence->format->ending);
    }
    bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    for (int has_number = 0; has_number < 2 && !state->has_streams; has_number++) {
        bool names_stream;
        free(location);
        location = location_path(path, has_number, &names_stream);
        if (!location) return host_out_of_memory("a path");
        state->has_streams = (names_stream || !is_file) && numbered_exists(location, ".npy");
    }
    int code = numbered_find(&state->found, state->has_streams ? location : path, ".npy");
    free(location);
    return code;
}

/* Path of a stream's array beside array `file` of locations; NULL when memory is short. */
static char *stream_path(const npy_state *state, size_t file, const char *stream)
{
    static const char own[] = "_location";
    const char *name = state->found.files.entries[file].file, *at = NULL;
    if (!state->has_streams || state->is_archive)
        return host_text("%s/%s", state->found.folder, name);
    for (const char *next = name; (next = strstr(next, own)) != NULL; next++) at = next;
    return host_text("%s/%.*s_%s%s", state->found.folder, (int)(at - name), name, stream,
                     at + sizeof own - 1);
}

/* ---- arrays of one frame or of all frames */

/* Opens the archive of a file, which stays open until another one is read. */
static int open_archive(host_sequence *sequence, size_t file)
{
    npy_state *state = sequence->state;
    if (state->archive.is_open && state->archive_file == file) return HOST_DONE;
    npz_file_close(&state->archive);
    state->archive_file = file;
    char *path = stream_path(state, file, "");
    int code = path ? npz_file_open(&state->archive, path, state->is_learned ? NULL : sequence)
                    : host_out_of_memory("a path");
    if (!code && state->archive.is_deflated) sequence->compression = "deflate";
    free(path);
    return code;
}

static int open_array(host_sequence *sequence, size_t file, uint32_t array, npy_input *input)
{
    npy_state *state = sequence->state;
    if (state->is_archive) {
        int code = open_archive(sequence, file);
        return code ? code : npz_file_input(&state->archive, array, input);
    }
    char *path = stream_path(state, file, npy_array_name(array));
    int code = path ? npy_input_open(input, path) : host_out_of_memory("a path");
    free(path);
    return code;
}

/* The last axis may be missing when it has length 1. */
static int check_shape(const char *path, const npy_array *array, const npy_view *view, bool stacked)
{
    const uint64_t expected[3] = {view->rows, view->points, view->columns};
    uint32_t first = stacked ? 0 : 1, last = 3;
    if (view->columns == 1 && array->dimensions == 2 - first) last = 2;
    bool fits = array->dimensions == last - first;
    for (uint32_t d = 0; fits && d < array->dimensions; d++)
        fits = array->shape[d] == expected[first + d];
    if (fits) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "expected the shape (%s%llu points, %llu), to match the array of locations",
                      stacked ? "frames, " : "", (unsigned long long)view->points,
                      (unsigned long long)view->columns);
}

/* An array of all frames among numbered files, each of which is a frame. */
static int frames_in_frame(const char *path, const npy_array *array, size_t files)
{
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "expected locations of the shape (points, 3), found (%llu, %llu, %llu): this "
                      "is one of %zu numbered files, each a frame of a sequence; give an array of "
                      "all frames a name without a number",
                      (unsigned long long)array->shape[0], (unsigned long long)array->shape[1],
                      (unsigned long long)array->shape[2], files);
}

/* Checks the shape of locations: (points, 3), or (frames, points, 3) when there is one file
   only. */
static int see_locations(const char *path, const npy_array *array, size_t files, npy_view *view,
                         bool *stacked)
{
    *stacked = array->dimensions == 3 && files == 1;
    bool good = (array->dimensions == 2 || *stacked) && array->shape[array->dimensions - 1] == 3;
    if (!good && array->dimensions == 3 && array->shape[2] == 3)
        return frames_in_frame(path, array, files);
    if (!good)
        return host_error(
            HOST_BAD_INPUT, path, HOST_NO_OFFSET,
            files == 1 ? "the shape of the locations is neither (points, 3) nor (frames, points, 3)"
                       : "the shape of the locations of a frame is not (points, 3)");
    *view = (npy_view){*stacked ? array->shape[0] : 1, array->shape[array->dimensions - 2], 3};
    if (view->rows <= FRAMES_MAX) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "%llu frames, at most %u",
                      (unsigned long long)view->rows, FRAMES_MAX);
}

static uint64_t columns_of(uint32_t stream)
{
    return stream == POINT_INDEX ? 1 : point_streams[stream].floats;
}

/* Several arrays in one file: the first is read, as numpy.load does. */
static void doubt_surplus(host_sequence *sequence, const npy_input *input)
{
    if (input->array.surplus && host_sequence_doubts(sequence))
        host_doubt(input->path, input->size - input->array.surplus,
                   "%llu bytes after the array are ignored",
                   (unsigned long long)input->array.surplus);
}

/* True in *exists if there is such an array beside the array `file` of locations. An error other
   than "no such file" is printed. */
static int find_array(host_sequence *sequence, size_t file, uint32_t array, bool *exists)
{
    struct stat status;
    npy_state *state = sequence->state;
    *exists = false;
    if (state->is_archive) {
        int code = open_archive(sequence, file);
        *exists = !code && state->archive.members[array];
        return code;
    }
    char *path = stream_path(state, file, npy_array_name(array));
    if (!path) return host_out_of_memory("a path");
    *exists = stat(path, &status) == 0;
    int code = *exists || errno == ENOENT
                   ? HOST_DONE
                   : host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot read: %s", strerror(errno));
    if (*exists && array != POINT_LOCATION) {
        sequence->byte_count += (uint64_t)status.st_size;
        sequence->file_count++;
    }
    free(path);
    return code;
}

/* `view` NULL: an array of any shape. */
static int check_array(host_sequence *sequence, size_t file, uint32_t array, const npy_view *view)
{
    const npy_state *state = sequence->state;
    npy_input input;
    int code = open_array(sequence, file, array, &input);
    if (code) return code;
    if (view) code = check_shape(input.path, &input.array, view, state->is_stacked);
    if (!code) doubt_surplus(sequence, &input);
    npy_input_close(&input);
    return code;
}

/* Finds and checks the arrays of the other streams beside array `file` of locations. */
static int learn_streams(host_sequence *sequence, size_t file, npy_view view)
{
    const npy_state *state = sequence->state;
    int code = HOST_DONE;
    state->streams[file] = POINT_BIT(POINT_LOCATION);
    for (uint32_t s = 0; s < POINT_BOIDS && state->has_streams && !code; s++) {
        bool exists;
        view.columns = columns_of(s);
        code = find_array(sequence, file, s, &exists);
        if (code || !exists) continue;
        code = check_array(sequence, file, s, &view);
        state->streams[file] |= POINT_BIT(s);
    }
    sequence->streams |= state->streams[file];
    return code;
}

/* One row of a stream. */
static int read_stream(host_sequence *sequence, size_t file, uint32_t array, const npy_view *view,
                       uint64_t row, npy_numbers kind, void *numbers)
{
    const npy_state *state = sequence->state;
    npy_input input;
    int code = open_array(sequence, file, array, &input);
    if (code) return code;
    code = check_shape(input.path, &input.array, view, state->is_stacked);
    if (!code) code = npy_read_row(&input, view, row, kind, numbers);
    npy_input_close(&input);
    return code;
}

/* ---- frames and their numbers */

/* NAME_frame.npy, or the array frame of an archive, if it exists, holds the frame number of each
   row. */
static int read_numbers(host_sequence *sequence)
{
    npy_state *state = sequence->state;
    npy_view view = {1, sequence->frame_count, 1};
    bool stacked = state->is_stacked, exists = false;
    if (!state->has_streams) return HOST_DONE;
    int code = find_array(sequence, 0, NPY_FRAME_NUMBERS, &exists);
    if (!code && exists) code = check_array(sequence, 0, NPY_FRAME_NUMBERS, NULL);
    if (!exists || code) return code;
    state->is_stacked = false; /* the array of numbers is a single row */
    code = read_stream(sequence, 0, NPY_FRAME_NUMBERS, &view, 0, NPY_FRAMES, sequence->numbers);
    state->is_stacked = stacked;
    for (size_t f = 0; f < sequence->frame_count && !code; f++)
        if (f && sequence->numbers[f] <= sequence->numbers[f - 1])
            code = host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                              "the numbers of the frames in its array frame do not ascend");
    return code;
}

static int learn_file(host_sequence *sequence, size_t file, uint64_t *rows)
{
    npy_state *state = sequence->state;
    npy_input input;
    npy_view view = {0, 0, 0};
    sequence->file_count++;
    int code = open_array(sequence, file, POINT_LOCATION, &input);
    if (code) return code;
    sequence->byte_count +=
        state->is_archive ? state->archive.source.file_bytes : input.file.file_bytes;
    code = see_locations(input.path, &input.array, state->found.files.count, &view,
                         &state->is_stacked);
    npy_input_close(&input);
    if (!code) *rows = view.rows;
    if (!code && view.points > sequence->point_count) sequence->point_count = (uint32_t)view.points;
    return code ? code : learn_streams(sequence, file, view);
}

/* For verification: removes a frame with a damaged array from the sequence. */
static int lose_file(host_sequence *sequence, size_t file)
{
    npy_state *state = sequence->state;
    int code = host_sequence_lose(sequence, state->found.files.entries[file].number);
    names_remove(&state->found.files, file);
    npz_file_close(&state->archive); /* its position is that of another file now */
    memmove(&state->streams[file], &state->streams[file + 1],
            (state->found.files.count - file) * sizeof *state->streams);
    return code;
}

static int learn_files(host_sequence *sequence, uint64_t *rows)
{
    npy_state *state = sequence->state;
    bool is_several = state->found.files.count > 1;
    state->streams = host_allocate(state->found.files.count, sizeof *state->streams);
    if (!state->streams) return host_out_of_memory("the list of frames");
    for (size_t f = 0; f < state->found.files.count;) {
        int64_t number = state->found.files.entries[f].number;
        int code = learn_file(sequence, f, rows);
        if (!code && number > INT32_MAX)
            code = host_error(HOST_BAD_INPUT, state->found.files.entries[f].file, HOST_NO_OFFSET,
                              "frame %lld is too high, at most %d", (long long)number, INT32_MAX);
        bool is_lost = code == HOST_BAD_INPUT && is_several && sequence->leaves_out;
        if (is_lost) code = lose_file(sequence, f);
        if (code) return code;
        f += !is_lost;
    }
    return HOST_DONE;
}

static int learn_frames(host_sequence *sequence)
{
    npy_state *state = sequence->state;
    uint64_t rows = 0;
    bool is_numbered = state->found.files.count > 1 || state->found.files.entries[0].number >= 0;
    int code = learn_files(sequence, &rows);
    if (code) return code;
    sequence->frame_count = state->found.files.count == 1 ? (size_t)rows : state->found.files.count;
    sequence->numbers = host_allocate(sequence->frame_count, sizeof *sequence->numbers);
    if (!sequence->numbers) return host_out_of_memory("the list of frames");
    for (size_t f = 0; f < sequence->frame_count; f++) {
        int64_t number = state->is_stacked ? -1 : state->found.files.entries[f].number;
        sequence->numbers[f] = number < 0 ? (int32_t)f + 1 : (int32_t)number;
    }
    return is_numbered ? HOST_DONE : read_numbers(sequence);
}

/* Reads all index arrays: an index can be higher than the number of points in a frame. */
static int learn_indices(host_sequence *sequence)
{
    const npy_state *state = sequence->state;
    if (!(sequence->streams & POINT_BIT(POINT_INDEX))) return HOST_DONE;
    for (size_t f = 0; f < sequence->frame_count;) {
        host_frame frame = {0};
        int code = npy_load(sequence, f, &frame);
        bool is_lost = code == HOST_BAD_INPUT && !state->is_stacked && sequence->leaves_out;
        if (is_lost) {
            code = lose_file(sequence, f);
            sequence->frame_count--;
            memmove(&sequence->numbers[f], &sequence->numbers[f + 1],
                    (sequence->frame_count - f) * sizeof *sequence->numbers);
        }
        if (code) return code;
        if (is_lost) continue;
        host_sequence_note_points(sequence, &frame);
        host_frame_free(&frame);
        f++;
    }
    return HOST_DONE;
}

/* ---- functions for the table in formats.c */

int npy_open(host_sequence *sequence, const char *path)
{
    char *first = NULL;
    npy_state *state = host_allocate(1, sizeof *state);
    sequence->state = state;
    sequence->type = POINT_PARTICLES;
    if (!state) return host_out_of_memory("a sequence");
    state->is_archive = strcmp(sequence->format->ending, ".npz") == 0;
    int code = state->is_archive ? HOST_DONE : first_array(path, &first);
    if (code) return code;
    code = find_files(sequence, first ? first : path);
    free(first);
    if (code) return code;
    size_t length = strlen(state->found.name);
    sequence->folder = host_text("%s", state->found.folder);
    sequence->name =
        host_text("%.*s", (int)length_without_stream(state->found.name, length), state->found.name);
    sequence->suffix = host_text("%s", "");
    if (!sequence->folder || !sequence->name || !sequence->suffix)
        return host_out_of_memory("a path");
    code = learn_frames(sequence);
    state->is_learned = true;
    return code ? code : learn_indices(sequence);
}

static int load_streams(host_sequence *sequence, size_t file, uint64_t row, npy_view view,
                        host_frame *frame)
{
    const npy_state *state = sequence->state;
    for (uint32_t s = 0; s < POINT_BOIDS; s++) {
        if (!(state->streams[file] & POINT_BIT(s))) continue;
        if (!frame->data[s]) frame->data[s] = host_allocate(frame->count, point_streams[s].bytes);
        if (!frame->data[s]) return host_out_of_memory("a frame");
        frame->streams |= POINT_BIT(s);
        view.columns = columns_of(s);
        int code = read_stream(sequence, file, s, &view, row,
                               s == POINT_INDEX ? NPY_INDICES : NPY_FLOATS, frame->data[s]);
        if (code) return code;
    }
    return HOST_DONE;
}

int npy_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    const npy_state *state = sequence->state;
    npy_input input;
    npy_view view;
    bool stacked;
    size_t file = state->is_stacked ? 0 : position;
    int code = open_array(sequence, file, POINT_LOCATION, &input);
    if (code) return code;
    code = see_locations(input.path, &input.array, state->found.files.count, &view, &stacked);
    host_piece piece = {.path = input.path};
    if (!code) code = piece_frame(&piece, frame, view.points, POINT_BIT(POINT_LOCATION));
    if (!code) code = load_streams(sequence, file, state->is_stacked ? position : 0, view, frame);
    if (!code) code = piece_order(&piece, frame);
    if (code) host_frame_free(frame);
    frame->number = sequence->numbers[position];
    npy_input_close(&input);
    return code;
}

void npy_close(host_sequence *sequence)
{
    npy_state *state = sequence->state;
    if (!state) return;
    npz_file_close(&state->archive);
    numbered_files_free(&state->found);
    free(state->streams);
    free(state);
    sequence->state = NULL;
}
