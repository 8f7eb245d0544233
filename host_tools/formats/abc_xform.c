/* SPDX-License-Identifier: MIT
   host_tools/formats/abc_xform.c - the transforms of the objects above the points of an archive.
   reads   properties of .abc files        writes  abc_matrix, host_frame
   memory  the operations of each object   cost    O(objects above) per frame, O(points)
   after   the schema AbcGeom_Xform: row vectors, the last operation acts first */
#include "abc.h"
#include "bytes.h"
#include <math.h>
#include <stdlib.h>

/* The upper four bits of an operation; the number of values that each takes. */
enum { SCALE, TRANSLATE, ROTATE, MATRIX, ROTATE_X, ROTATE_Y, ROTATE_Z, OPERATIONS };
static const uint8_t value_counts[OPERATIONS] = {3, 3, 4, 16, 1, 1, 1};

static const abc_matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};

/* What `first` does, then what `second` does. */
static abc_matrix chain(const abc_matrix *first, const abc_matrix *second)
{
    abc_matrix both;
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t k = 0; k < 3; k++) {
            double sum = row == 3 ? second->m[3][k] : 0;
            for (uint32_t i = 0; i < 3; i++) sum += first->m[row][i] * second->m[i][k];
            both.m[row][k] = sum;
        }
    return both;
}

/* Rodrigues' formula; an axis without a length turns nothing. */
static abc_matrix rotation(const double axis[3], double degrees)
{
    const double angle = degrees * (3.14159265358979323846 / 180);
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double c = cos(angle), s = sin(angle);
    abc_matrix turned = identity;
    if (!(length > 0)) return turned;
    const double u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    const double across[3][3] = {{0, u[2], -u[1]}, {-u[2], 0, u[0]}, {u[1], -u[0], 0}};
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t k = 0; k < 3; k++)
            turned.m[row][k] = (row == k ? c : 0) + (1 - c) * u[row] * u[k] + s * across[row][k];
    return turned;
}

static abc_matrix operation(uint32_t kind, const double *values)
{
    abc_matrix one = identity;
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (kind == ROTATE) return rotation(values, values[3]);
    if (kind >= ROTATE_X) return rotation(axes[kind - ROTATE_X], values[0]);
    for (uint32_t k = 0; k < 3; k++) {
        if (kind == SCALE) one.m[k][k] = values[k];
        if (kind == TRANSLATE) one.m[3][k] = values[k];
        for (uint32_t row = 0; kind == MATRIX && row < 4; row++)
            one.m[row][k] = values[4 * row + k];
    }
    return one;
}

/* ---- opening */

static int faulty(const abc_archive *archive, const abc_property *property, const char *what)
{
    return host_error(HOST_BAD_INPUT, archive->source.path, property->header_at,
                      "\"%.*s\" of a transform is not %s",
                      (int)(property->name_length < 64 ? property->name_length : 64),
                      property->name, what);
}

static int read_ops(abc_archive *archive, abc_xform *xform)
{
    uint64_t at = 0, size = 0;
    const abc_property *ops = abc_property_named(&xform->properties, ".ops");
    if (!ops || !ops->samples) return HOST_DONE;
    if (ops->kind == ABC_COMPOUND || ops->type != ABC_U8)
        return faulty(archive, ops, "an array of bytes");
    int code = abc_sample_find(archive, ops, 0, &at, &size);
    if (!code) xform->ops = abc_sample_read(archive, ops, at, size, &code);
    xform->op_count = (size_t)size;
    for (size_t i = 0; !code && i < xform->op_count; i++)
        if (xform->ops[i] >> 4 >= OPERATIONS)
            code = faulty(archive, ops, "a list of known operations");
    return code;
}

static int open_xform(abc_archive *archive, size_t object, abc_xform *xform)
{
    int code = abc_properties_of(archive, object, ".xform", &xform->properties);
    if (!code) code = read_ops(archive, xform);
    xform->values = abc_property_named(&xform->properties, ".vals");
    xform->inherits = abc_property_named(&xform->properties, ".inherits");
    if (!code && xform->op_count && (!xform->values || xform->values->type != ABC_F64))
        code = faulty(archive, xform->values ? xform->values : xform->properties.items,
                      "followed by the values of the operations, 64-bit floats");
    if (!code && xform->inherits && xform->inherits->kind != ABC_SCALAR)
        code = faulty(archive, xform->inherits, "one number");
    return code;
}

static void close_xform(abc_xform *xform)
{
    abc_properties_free(&xform->properties);
    free(xform->ops);
}

int abc_xforms_open(abc_archive *archive, size_t object, abc_xforms *xforms)
{
    int code = HOST_DONE;
    size_t room = 0;
    for (size_t i = archive->objects[object].parent; i && !code; i = archive->objects[i].parent) {
        abc_xform xform = {0};
        if (archive->objects[i].schema != ABC_XFORM) continue;
        code = open_xform(archive, i, &xform);
        bool counts = !code && (xform.op_count || (xform.inherits && xform.inherits->samples));
        abc_xform *longer =
            counts ? host_lengthen(xforms->items, xforms->count, &room, sizeof *longer) : NULL;
        if (longer) {
            xforms->items = longer;
            longer[xforms->count++] = xform;
        } else {
            close_xform(&xform);
            if (counts) code = host_out_of_memory("the transforms of a file");
        }
    }
    return code;
}

void abc_xforms_close(abc_xforms *xforms)
{
    for (size_t i = 0; i < xforms->count; i++) close_xform(&xforms->items[i]);
    free(xforms->items);
    *xforms = (abc_xforms){0};
}

/* ---- frames */

static int chain_ops(abc_archive *archive, const abc_xform *xform, const abc_property *positions,
                     uint32_t sample, abc_matrix *matrix)
{
    uint64_t at, size, used = 0;
    int code =
        abc_sample_find(archive, xform->values,
                        abc_sample_at(archive, xform->values, positions, sample), &at, &size);
    uint8_t *bytes = code ? NULL : abc_sample_read(archive, xform->values, at, size, &code);
    abc_matrix all = identity;
    for (size_t i = 0; i < xform->op_count && !code; i++) {
        const uint32_t kind = xform->ops[i] >> 4;
        double values[16];
        if (size / 8 - used < value_counts[kind])
            code = faulty(archive, xform->values, "long enough for the operations");
        for (uint32_t k = 0; k < value_counts[kind] && !code; k++)
            values[k] = bytes_load_f64(bytes + 8 * (used + k), false);
        if (code) break;
        used += value_counts[kind];
        abc_matrix one = operation(kind, values);
        all = chain(&one, &all);
    }
    free(bytes);
    *matrix = chain(matrix, &all);
    return code;
}

static int read_inherits(abc_archive *archive, const abc_xform *xform,
                         const abc_property *positions, uint32_t sample, bool *inherits)
{
    uint64_t at, size;
    const abc_property *property = xform->inherits;
    *inherits = true;
    if (!property || !property->samples) return HOST_DONE;
    int code = abc_sample_find(archive, property,
                               abc_sample_at(archive, property, positions, sample), &at, &size);
    uint8_t *bytes = code ? NULL : abc_sample_read(archive, property, at, size, &code);
    if (!code && size) *inherits = bytes[0] != 0;
    free(bytes);
    return code;
}

int abc_xforms_at(abc_archive *archive, const abc_xforms *xforms, const abc_property *positions,
                  uint32_t sample, abc_matrix *matrix)
{
    int code = HOST_DONE;
    bool inherits = true;
    *matrix = identity;
    for (size_t i = 0; i < xforms->count && inherits && !code; i++) {
        const abc_xform *xform = &xforms->items[i];
        if (xform->op_count) code = chain_ops(archive, xform, positions, sample, matrix);
        if (!code) code = read_inherits(archive, xform, positions, sample, &inherits);
    }
    return code;
}

static void apply(const abc_matrix *matrix, bool moves, float *to)
{
    const double from[3] = {(double)to[0], (double)to[1], (double)to[2]};
    for (uint32_t k = 0; k < 3; k++)
        to[k] = (float)(from[0] * matrix->m[0][k] + from[1] * matrix->m[1][k] +
                        from[2] * matrix->m[2][k] + (moves ? matrix->m[3][k] : 0));
}

void abc_matrix_apply(const abc_matrix *matrix, host_frame *frame)
{
    const double(*m)[3] = matrix->m;
    const double volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                          m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    const float scale = (float)cbrt(fabs(volume));
    float *location = frame->data[POINT_LOCATION], *velocity = frame->data[POINT_VELOCITY],
          *sizes = frame->data[POINT_SIZE];
    if (memcmp(matrix, &identity, sizeof identity) == 0) return;
    for (size_t i = 0; i < frame->count; i++) {
        if (location) apply(matrix, true, location + 3 * i);
        if (velocity) apply(matrix, false, velocity + 3 * i);
        if (sizes) sizes[i] *= scale;
    }
}
