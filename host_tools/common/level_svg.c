/* SPDX-License-Identifier: MIT
   host_tools/common/level_svg.c - edges of a level from an SVG drawing: elements, transforms,
           paths.
   reads   the text of a drawing      writes  a level
   memory  malloc for the points of the drawing      cost    O(bytes + loops * points)
   after   SVG 1.1 (W3C 2011), chapters 7 to 9, as far as level.h says. A Bezier curve of degree d
           is divided into sqrt(d (d - 1) / 8 D / tolerance) parts, D its largest second difference:
           no part is farther than the tolerance from its chord (Filip, Magedson and Markot 1986) */
#include "level.h"
#include "scene.h"
#include "text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SVG_DEPTH_MAX 64u
#define SVG_PARTS_MAX 4096.0
#define SVG_LARGEST   1e6 /* m */

typedef struct svg_point {
    double x, y;
} svg_point;

/* x' = a x + c y + e, y' = b x + d y + f */
typedef struct svg_matrix {
    double a, b, c, d, e, f;
} svg_matrix;

typedef struct svg_path {
    size_t first, count;
    bool is_loop;
    svg_point low, high;
} svg_path;

typedef struct svg_reader {
    const char *text, *end, *at;
    const level_drawing *drawing;
    level_fault *fault;
    svg_matrix stack[SVG_DEPTH_MAX]; /* of the open groups */
    size_t depth;
    svg_matrix matrix; /* of the element, to metres */
    bool is_done;      /* the svg element has ended */
    svg_point *points;
    svg_path *paths;
    size_t point_count, point_capacity, path_count, path_capacity, first;
} svg_reader;

/* An attribute's value between its quotes. */
typedef struct svg_value {
    const char *at, *end; /* null: not given */
} svg_value;

static bool fail(svg_reader *svg, const char *at, const char *format, ...)
{
    va_list arguments;
    if (svg->fault->text[0]) return false;
    svg->fault->place = (size_t)(at - svg->text);
    va_start(arguments, format);
    vsnprintf(svg->fault->text, sizeof svg->fault->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- points */

static bool reserve(svg_reader *svg, void *array, size_t count, size_t *capacity, size_t size)
{
    char *items;
    if (count < *capacity) return true;
    if (count >= LEVEL_POINTS_MAX) return fail(svg, svg->at, "makes more points than 4194304");
    memcpy(&items, array, sizeof items);
    size_t larger = *capacity ? 2 * *capacity : 64;
    items = realloc(items, larger * size);
    if (!items) return fail(svg, svg->at, "does not fit into memory");
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return true;
}

static svg_point transform(const svg_matrix *m, svg_point p)
{
    return (svg_point){m->a * p.x + m->c * p.y + m->e, m->b * p.x + m->d * p.y + m->f};
}

/* First `inner`, then `outer`. */
static svg_matrix combine(const svg_matrix *outer, const svg_matrix *inner)
{
    const svg_matrix *o = outer, *i = inner;
    return (svg_matrix){o->a * i->a + o->c * i->b,        o->b * i->a + o->d * i->b,
                        o->a * i->c + o->c * i->d,        o->b * i->c + o->d * i->d,
                        o->a * i->e + o->c * i->f + o->e, o->b * i->e + o->d * i->f + o->f};
}

/* Adds a point in metres. */
static bool add_metres(svg_reader *svg, svg_point p)
{
    if (!(fabs(p.x) <= SVG_LARGEST && fabs(p.y) <= SVG_LARGEST))
        return fail(svg, svg->at, "has a point farther than 1e6 m from the origin");
    if (!reserve(svg, &svg->points, svg->point_count, &svg->point_capacity, sizeof p)) return false;
    svg->points[svg->point_count++] = p;
    return true;
}

static bool add_point(svg_reader *svg, svg_point p)
{
    return add_metres(svg, transform(&svg->matrix, p));
}

/* Ends the path, if it has points. */
static bool end_path(svg_reader *svg, bool is_loop)
{
    svg_path path = {svg->first, svg->point_count - svg->first, is_loop, {0, 0}, {0, 0}};
    if (path.count == 0) return true;
    if (!reserve(svg, &svg->paths, svg->path_count, &svg->path_capacity, sizeof path)) return false;
    path.low = path.high = svg->points[path.first];
    svg_point last = svg->points[svg->point_count - 1];
    if (path.count > 3 && last.x == path.low.x && last.y == path.low.y) path.is_loop = true;
    for (size_t k = 1; k < path.count; k++) {
        svg_point p = svg->points[path.first + k];
        path.low = (svg_point){fmin(path.low.x, p.x), fmin(path.low.y, p.y)};
        path.high = (svg_point){fmax(path.high.x, p.x), fmax(path.high.y, p.y)};
    }
    svg->paths[svg->path_count++] = path;
    svg->first = svg->point_count;
    return true;
}

/* ---- curves */

static svg_point between(svg_point a, svg_point b, double t)
{
    return (svg_point){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/* A curve of degree 2 or 3 from its control points, in metres after the transform; de Casteljau. */
static bool add_curve(svg_reader *svg, const svg_point *control, size_t degree)
{
    svg_point p[4];
    double bend = 0, factor = degree == 2 ? 0.25 : 0.75;
    for (size_t k = 0; k <= degree; k++) p[k] = transform(&svg->matrix, control[k]);
    for (size_t k = 0; k + 2 <= degree; k++) {
        double x = p[k].x - 2 * p[k + 1].x + p[k + 2].x, y = p[k].y - 2 * p[k + 1].y + p[k + 2].y;
        bend = fmax(bend, sqrt(x * x + y * y));
    }
    double parts = ceil(sqrt(factor * bend / svg->drawing->tolerance));
    if (!(parts <= SVG_PARTS_MAX))
        return fail(svg, svg->at,
                    "has a curve of more than 4096 edges; allowed: a larger tolerance");
    for (double part = 1; part < parts; part++) {
        svg_point q[4];
        memcpy(q, p, sizeof q);
        for (size_t left = degree; left > 0; left--)
            for (size_t k = 0; k < left; k++) q[k] = between(q[k], q[k + 1], part / parts);
        if (!add_metres(svg, q[0])) return false;
    }
    return add_metres(svg, p[degree]);
}

/* ---- numbers */

static void skip_blanks(const char **at, const char *end, bool has_comma)
{
    while (*at < end && (strchr(" \t\r\n", **at) || (has_comma && **at == ','))) {
        if (**at == ',') has_comma = false;
        ++*at;
    }
}

static bool read_number(svg_reader *svg, const char **at, const char *end, double *value)
{
    skip_blanks(at, end, true);
    size_t length = *at < end ? text_take_f64(*at, value) : 0;
    if (!length || *at + length > end || !(fabs(*value) <= 1e12))
        return fail(svg, *at, "expected a number of at most 1e12");
    *at += length;
    return true;
}

static bool read_numbers(svg_reader *svg, const char **at, const char *end, double *values,
                         size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!read_number(svg, at, end, &values[k])) return false;
    return true;
}

/* An attribute that is one number, with or without px. */
static bool read_length(svg_reader *svg, svg_value value, double *number)
{
    if (!value.at) return true;
    const char *at = value.at;
    if (!read_number(svg, &at, value.end, number)) return false;
    if (value.end - at == 2 && memcmp(at, "px", 2) == 0) at += 2;
    skip_blanks(&at, value.end, false);
    return at == value.end || fail(svg, at, "expected a number without a unit");
}

/* ---- the data of a path */

typedef struct svg_pen {
    svg_point at, start;
    svg_point handle; /* the last control point, for S and T */
    char last;        /* the command before, in upper case; 0 after the first M */
} svg_pen;

static bool is_number(const char *at, const char *end)
{
    return at < end && strchr("+-.0123456789", *at) != NULL;
}

/* How many numbers a command has; 0: not a command. Z has none and is not asked. */
static size_t numbers_of(char command)
{
    switch (command) {
    case 'M':
    case 'L':
    case 'T': return 2;
    case 'H':
    case 'V': return 1;
    case 'C': return 6;
    case 'S':
    case 'Q': return 4;
    default: return 0;
    }
}

static svg_point mirrored(const svg_pen *pen, bool has_handle)
{
    if (!has_handle) return pen->at;
    return (svg_point){2 * pen->at.x - pen->handle.x, 2 * pen->at.y - pen->handle.y};
}

static bool draw_curve(svg_reader *svg, svg_pen *pen, char command, const double *v)
{
    svg_point control[4] = {pen->at};
    size_t degree = command == 'Q' || command == 'T' ? 2 : 3, given = 1, k = 0;
    if (command == 'S') control[given++] = mirrored(pen, pen->last == 'C' || pen->last == 'S');
    if (command == 'T') control[given++] = mirrored(pen, pen->last == 'Q' || pen->last == 'T');
    for (; given <= degree; given++, k += 2) control[given] = (svg_point){v[k], v[k + 1]};
    pen->handle = control[degree - 1];
    pen->at = control[degree];
    return add_curve(svg, control, degree);
}

/* One command with its numbers, which are absolute. */
static bool draw(svg_reader *svg, svg_pen *pen, char command, const double *v)
{
    if (command == 'M') {
        if (!end_path(svg, false)) return false;
        pen->at = pen->start = (svg_point){v[0], v[1]};
        return add_point(svg, pen->at);
    }
    if (svg->point_count == svg->first && !add_point(svg, pen->at)) return false; /* after Z */
    if (strchr("CSQT", command)) return draw_curve(svg, pen, command, v);
    if (command == 'H')
        pen->at.x = v[0];
    else if (command == 'V')
        pen->at.y = v[0];
    else
        pen->at = (svg_point){v[0], v[1]};
    return add_point(svg, pen->at);
}

static void make_absolute(const svg_pen *pen, char command, double *v, size_t count)
{
    for (size_t k = 0; k < count; k++)
        v[k] += command == 'V' || (command != 'H' && k % 2) ? pen->at.y : pen->at.x;
}

/* Repeats a command while numbers follow; further pairs of M are lines. */
static bool draw_all(svg_reader *svg, svg_pen *pen, char letter, const char **at, const char *end)
{
    bool is_relative = letter >= 'a';
    char command = is_relative ? (char)(letter - 'a' + 'A') : letter;
    size_t count = numbers_of(command);
    do {
        double v[6];
        svg->at = *at;
        if (!read_numbers(svg, at, end, v, count)) return false;
        if (is_relative) make_absolute(pen, command, v, count);
        if (!draw(svg, pen, command, v)) return false;
        pen->last = command;
        if (command == 'M') command = 'L';
        skip_blanks(at, end, true);
    } while (is_number(*at, end));
    return true;
}

static bool read_path(svg_reader *svg, svg_value data)
{
    svg_pen pen = {{0, 0}, {0, 0}, {0, 0}, 0};
    const char *at = data.at;
    for (skip_blanks(&at, data.end, false); at < data.end; skip_blanks(&at, data.end, false)) {
        char letter = *at;
        if (!pen.last && letter != 'M' && letter != 'm')
            return fail(svg, at, "a path begins with '%c'; allowed: M or m", letter);
        if (letter == 'Z' || letter == 'z') {
            at++;
            if (!end_path(svg, true)) return false;
            pen.at = pen.start;
            pen.last = 'Z';
            continue;
        }
        char upper = letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
        if (!numbers_of(upper))
            return fail(svg, at,
                        "a path has the command '%c'; allowed: M L H V C S Q T Z and lower case",
                        letter >= 32 && letter < 127 ? letter : '?');
        at++;
        if (!draw_all(svg, &pen, letter, &at, data.end)) return false;
    }
    return end_path(svg, false);
}

/* ---- the other shapes */

static bool read_points(svg_reader *svg, svg_value data, bool is_loop)
{
    const char *at = data.at;
    for (skip_blanks(&at, data.end, false); at < data.end; skip_blanks(&at, data.end, true)) {
        double v[2];
        svg->at = at;
        if (!read_numbers(svg, &at, data.end, v, 2)) return false;
        if (!add_point(svg, (svg_point){v[0], v[1]})) return false;
    }
    return end_path(svg, is_loop);
}

/* ---- transforms */

static bool read_transform_one(svg_reader *svg, const char *name, size_t length, const double *v,
                               size_t count, svg_matrix *m)
{
    *m = (svg_matrix){1, 0, 0, 1, 0, 0};
    if (length == 9 && memcmp(name, "translate", 9) == 0 && (count == 1 || count == 2)) {
        m->e = v[0];
        m->f = count == 2 ? v[1] : 0;
    } else if (length == 5 && memcmp(name, "scale", 5) == 0 && (count == 1 || count == 2)) {
        m->a = v[0];
        m->d = v[count - 1];
    } else if (length == 6 && memcmp(name, "matrix", 6) == 0 && count == 6) {
        *m = (svg_matrix){v[0], v[1], v[2], v[3], v[4], v[5]};
    } else if (length == 6 && memcmp(name, "rotate", 6) == 0 && (count == 1 || count == 3)) {
        double sine = scene_sine(v[0] / 360), cosine = scene_sine(v[0] / 360 + 0.25);
        double x = count == 3 ? v[1] : 0, y = count == 3 ? v[2] : 0;
        *m = (svg_matrix){
            cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y};
    } else {
        return fail(svg, name,
                    "expected translate(x y), scale(x y), rotate(angle) or matrix(a b c "
                    "d e f)");
    }
    return true;
}

static bool read_transform(svg_reader *svg, svg_value value, svg_matrix *matrix)
{
    const char *at = value.at;
    for (skip_blanks(&at, value.end, true); at < value.end; skip_blanks(&at, value.end, true)) {
        const char *name = at;
        double v[6];
        size_t count = 0;
        svg_matrix one;
        while (at < value.end && *at >= 'A' && *at <= 'z') at++;
        size_t length = (size_t)(at - name);
        skip_blanks(&at, value.end, false);
        if (at == value.end || *at != '(') return fail(svg, at, "expected '(' in a transform");
        at++;
        for (skip_blanks(&at, value.end, false); is_number(at, value.end) && count < 6;
             skip_blanks(&at, value.end, true))
            if (!read_number(svg, &at, value.end, &v[count++])) return false;
        if (at == value.end || *at != ')') return fail(svg, at, "expected ')' in a transform");
        at++;
        if (!read_transform_one(svg, name, length, v, count, &one)) return false;
        *matrix = combine(matrix, &one);
    }
    return true;
}

/* ---- elements */

enum svg_attribute {
    SVG_D,
    SVG_POINTS,
    SVG_TRANSFORM,
    SVG_VIEW_BOX,
    SVG_X,
    SVG_Y,
    SVG_WIDTH,
    SVG_HEIGHT,
    SVG_RX,
    SVG_RY,
    SVG_X1,
    SVG_Y1,
    SVG_X2,
    SVG_Y2,
    SVG_ATTRIBUTES
};
static const char *const attribute_names[SVG_ATTRIBUTES] = {
    "d",      "points", "transform", "viewBox", "x",  "y",  "width",
    "height", "rx",     "ry",        "x1",      "y1", "x2", "y2"};

typedef struct svg_element {
    const char *name;
    size_t length;
    svg_value values[SVG_ATTRIBUTES];
    bool is_empty; /* ends with "/>" */
} svg_element;

static bool is_named(const svg_element *element, const char *name)
{
    return strlen(name) == element->length && memcmp(element->name, name, element->length) == 0;
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("_-:.", c)) || (unsigned char)c >= 128u;
}

static const char *skip_name(const char *at)
{
    while (is_name_character(*at)) at++;
    return at;
}

static bool read_attribute(svg_reader *svg, svg_element *element)
{
    const char *name = svg->at;
    svg->at = skip_name(name);
    size_t length = (size_t)(svg->at - name);
    if (!length) return fail(svg, svg->at, "expected a name, '>' or '/>' in an element");
    skip_blanks(&svg->at, svg->end, false);
    if (svg->at == svg->end || *svg->at != '=')
        return fail(svg, svg->at, "expected '=' after the name of an attribute");
    svg->at++;
    skip_blanks(&svg->at, svg->end, false);
    char quote = svg->at < svg->end ? *svg->at : 0;
    if (quote != '"' && quote != '\'') return fail(svg, svg->at, "expected a quoted value");
    const char *value = ++svg->at, *last = memchr(value, quote, (size_t)(svg->end - value));
    if (!last) return fail(svg, value, "expected a closing quote");
    svg->at = last + 1;
    for (size_t k = 0; k < SVG_ATTRIBUTES; k++)
        if (strlen(attribute_names[k]) == length && memcmp(attribute_names[k], name, length) == 0)
            element->values[k] = (svg_value){value, last};
    return true;
}

/* From behind '<' to behind '>'. */
static bool read_element(svg_reader *svg, svg_element *element)
{
    memset(element, 0, sizeof *element);
    element->name = svg->at;
    svg->at = skip_name(svg->at);
    element->length = (size_t)(svg->at - element->name);
    if (!element->length) return fail(svg, svg->at, "expected the name of an element after '<'");
    for (;;) {
        skip_blanks(&svg->at, svg->end, false);
        if (svg->at == svg->end) return fail(svg, svg->at, "ends inside an element");
        if (*svg->at == '>') {
            svg->at++;
            return true;
        }
        if (*svg->at == '/' && svg->at[1] == '>') {
            svg->at += 2;
            return element->is_empty = true;
        }
        if (!read_attribute(svg, element)) return false;
    }
}

static bool read_rectangle(svg_reader *svg, const svg_element *element)
{
    double v[4] = {0, 0, 0, 0}, round[2] = {0, 0};
    for (uint32_t k = 0; k < 4; k++)
        if (!read_length(svg, element->values[SVG_X + k], &v[k])) return false;
    for (uint32_t k = 0; k < 2; k++)
        if (!read_length(svg, element->values[SVG_RX + k], &round[k])) return false;
    if (round[0] > 0 || round[1] > 0)
        return fail(svg, element->name, "a rect has round corners; allowed: a path instead");
    const svg_point corners[4] = {
        {v[0], v[1]}, {v[0] + v[2], v[1]}, {v[0] + v[2], v[1] + v[3]}, {v[0], v[1] + v[3]}};
    if (!(v[2] > 0 && v[3] > 0)) return true; /* is not drawn */
    for (uint32_t k = 0; k < 4; k++)
        if (!add_point(svg, corners[k])) return false;
    return end_path(svg, true);
}

static bool read_line(svg_reader *svg, const svg_element *element)
{
    double v[4] = {0, 0, 0, 0};
    for (uint32_t k = 0; k < 4; k++)
        if (!read_length(svg, element->values[SVG_X1 + k], &v[k])) return false;
    return add_point(svg, (svg_point){v[0], v[1]}) && add_point(svg, (svg_point){v[2], v[3]}) &&
           end_path(svg, false);
}

static bool read_shape(svg_reader *svg, const svg_element *element)
{
    svg->at = element->name;
    if (is_named(element, "path"))
        return !element->values[SVG_D].at || read_path(svg, element->values[SVG_D]);
    if (is_named(element, "polyline") || is_named(element, "polygon"))
        return !element->values[SVG_POINTS].at ||
               read_points(svg, element->values[SVG_POINTS], is_named(element, "polygon"));
    if (is_named(element, "rect")) return read_rectangle(svg, element);
    if (is_named(element, "line")) return read_line(svg, element);
    return fail(svg, element->name,
                "element '%.*s' is not read; allowed: path, polyline, polygon, rect, line, g",
                (int)(element->length < 20 ? element->length : 20), element->name);
}

/* The transform from units, y down, to metres, y up. */
static bool read_view(svg_reader *svg, const svg_element *element)
{
    double v[4] = {0, 0, 0, 0}, scale = 1 / svg->drawing->units_per_metre;
    svg_value view = element->values[SVG_VIEW_BOX], height = element->values[SVG_HEIGHT];
    if (view.at) {
        const char *at = view.at;
        if (!read_numbers(svg, &at, view.end, v, 4)) return false;
    } else if (height.at && height.end > height.at && height.end[-1] != '%') {
        const char *at = height.at;
        if (!read_number(svg, &at, height.end, &v[3])) return false;
    }
    svg->stack[0] = (svg_matrix){scale, 0, 0, -scale, -v[0] * scale, (v[1] + v[3]) * scale};
    svg->depth = 1;
    return true;
}

/* Elements that draw nothing themselves, with all that they hold. */
static bool is_skipped(const svg_element *element)
{
    static const char *const names[] = {
        "defs",  "clipPath", "mask",  "pattern", "symbol", "marker",         "metadata",
        "style", "script",   "title", "desc",    "filter", "linearGradient", "radialGradient"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (is_named(element, names[k])) return true;
    return memchr(element->name, ':', element->length) != NULL;
}

/* Moves behind a mark such as "-->". */
static bool skip_to(svg_reader *svg, const char *mark)
{
    const char *found = strstr(svg->at, mark);
    if (!found) return fail(svg, svg->at, "expected '%s'", mark);
    svg->at = found + strlen(mark);
    return true;
}

/* What begins with '<' and is no element: comment, declaration, document type. True if it was
   there. */
static bool skip_markup(svg_reader *svg, bool *is_good)
{
    const char *mark = NULL;
    if (strncmp(svg->at, "!--", 3) == 0)
        mark = "-->";
    else if (strncmp(svg->at, "![CDATA[", 8) == 0)
        mark = "]]>";
    else if (*svg->at == '?')
        mark = "?>";
    else if (*svg->at == '!')
        mark = memchr(svg->at, '[', strcspn(svg->at, ">")) ? "]>" : ">";
    if (mark) *is_good = skip_to(svg, mark);
    return mark != NULL;
}

/* To behind the end of an element whose begin was read. */
static bool skip_element(svg_reader *svg, const svg_element *skipped)
{
    for (size_t depth = 1; depth > 0;) {
        bool is_good = true;
        if (!skip_to(svg, "<")) return false;
        if (skip_markup(svg, &is_good)) {
            if (!is_good) return false;
            continue;
        }
        bool is_end = *svg->at == '/';
        svg_element inner;
        if (is_end) svg->at++;
        if (!read_element(svg, &inner)) return false;
        bool is_same =
            inner.length == skipped->length && memcmp(inner.name, skipped->name, inner.length) == 0;
        if (is_same && is_end) depth--;
        if (is_same && !is_end && !inner.is_empty) depth++;
    }
    return true;
}

static bool read_begin(svg_reader *svg)
{
    svg_element element;
    if (!read_element(svg, &element)) return false;
    const char *behind = svg->at;
    if (!svg->depth) {
        if (!is_named(&element, "svg"))
            return fail(svg, element.name, "the first element is not svg");
        svg->is_done = element.is_empty;
        return read_view(svg, &element);
    }
    if (is_skipped(&element)) return element.is_empty || skip_element(svg, &element);
    svg->matrix = svg->stack[svg->depth - 1];
    if (element.values[SVG_TRANSFORM].at &&
        !read_transform(svg, element.values[SVG_TRANSFORM], &svg->matrix))
        return false;
    bool is_group = is_named(&element, "g") || is_named(&element, "a");
    if (!is_group && !read_shape(svg, &element)) return false;
    svg->at = behind;
    if (element.is_empty) return true;
    if (svg->depth == SVG_DEPTH_MAX) return fail(svg, element.name, "is nested deeper than 64");
    svg->stack[svg->depth++] = svg->matrix;
    return true;
}

static bool read_all(svg_reader *svg)
{
    do {
        bool is_good = true;
        const char *next = memchr(svg->at, '<', (size_t)(svg->end - svg->at));
        if (!next)
            return fail(svg, svg->end, svg->depth ? "expected '</svg>'" : "holds no svg element");
        svg->at = next + 1;
        if (skip_markup(svg, &is_good)) {
            if (!is_good) return false;
        } else if (*svg->at == '/') {
            if (!svg->depth) return fail(svg, next, "ends an element that has not begun");
            if (!skip_to(svg, ">")) return false;
            svg->is_done = --svg->depth == 0;
        } else if (!read_begin(svg)) {
            return false;
        }
    } while (!svg->is_done);
    return true;
}

/* ---- from outlines to edges */

static bool is_around(const svg_reader *svg, const svg_path *path, svg_point at)
{
    bool is_inside = false;
    if (at.x < path->low.x || at.x > path->high.x || at.y < path->low.y || at.y > path->high.y)
        return false;
    const svg_point *p = svg->points + path->first;
    for (size_t k = 0, last = path->count - 1; k < path->count; last = k++)
        if ((p[k].y > at.y) != (p[last].y > at.y) &&
            at.x < p[k].x + (at.y - p[k].y) / (p[last].y - p[k].y) * (p[last].x - p[k].x))
            is_inside = !is_inside;
    return is_inside;
}

/* Twice the area; positive if counter-clockwise. */
static double area_of(const svg_reader *svg, const svg_path *path)
{
    const svg_point *p = svg->points + path->first;
    double area = 0;
    for (size_t k = 0, last = path->count - 1; k < path->count; last = k++)
        area += (p[last].x - p[0].x) * (p[k].y - p[0].y) - (p[k].x - p[0].x) * (p[last].y - p[0].y);
    return area;
}

/* True if the outline is around a solid: an even number of outlines is around it. */
static bool is_solid(const svg_reader *svg, size_t index)
{
    size_t around = 0;
    for (size_t k = 0; k < svg->path_count; k++)
        around += k != index && svg->paths[k].is_loop &&
                  is_around(svg, &svg->paths[k], svg->points[svg->paths[index].first]);
    return around % 2 == 0;
}

static bool emit(const svg_reader *svg, size_t index, level *to)
{
    const svg_path *path = &svg->paths[index];
    bool is_reversed = path->is_loop && is_solid(svg, index) != (area_of(svg, path) > 0);
    for (size_t k = 0; k < path->count; k++) {
        svg_point p = svg->points[path->first + (is_reversed ? path->count - 1 - k : k)];
        if (!level_point(to, p.x, p.y)) return false;
    }
    return level_join(to, path->is_loop);
}

bool level_read_svg(level *to, const char *text, size_t size, const level_drawing *drawing,
                    level_fault *fault)
{
    svg_reader svg = {
        .text = text, .end = text + size, .at = text, .drawing = drawing, .fault = fault};
    fault->text[0] = 0;
    bool is_good =
        memchr(text, 0, size) ? fail(&svg, memchr(text, 0, size), "is not text") : read_all(&svg);
    for (size_t k = 0; k < svg.path_count && is_good; k++)
        is_good = emit(&svg, k, to) || fail(&svg, svg.end, "does not fit into memory");
    free(svg.points);
    free(svg.paths);
    return is_good;
}
