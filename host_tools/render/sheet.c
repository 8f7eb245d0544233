/* SPDX-License-Identifier: MIT
   host_tools/render/sheet.c - a contact sheet: frames in a grid with captions.
   reads   canvases      writes  one canvas
   memory  the sheet     cost    one copy per frame
   after   own design */
#include "render_private.h"

#define GAP 12 /* pixels around and between the frames */

static int32_t text_scale(const sheet_plan *plan) { return plan->cell_width < 200 ? 1 : 2; }

static int32_t caption_height(const sheet_plan *plan)
{
    return (CANVAS_CELL_HEIGHT + 3) * text_scale(plan);
}

static int32_t title_scale(const sheet_plan *plan) { return text_scale(plan) + 1; }

static int32_t header_height(const sheet_plan *plan)
{
    int32_t height = 0;
    if (plan->title) height += (CANVAS_CELL_HEIGHT + 3) * title_scale(plan);
    if (plan->subtitle) height += (CANVAS_CELL_HEIGHT + 3) * text_scale(plan);
    return height;
}

canvas *sheet_create(const sheet_plan *plan)
{
    if (plan->columns < 1 || plan->count < 1 || plan->columns > 256 || plan->count > 65536)
        return NULL;
    int64_t rows = (plan->count + plan->columns - 1) / plan->columns;
    int64_t width = GAP + (int64_t)plan->columns * ((int64_t)plan->cell_width + GAP);
    int64_t height =
        GAP + header_height(plan) + rows * ((int64_t)plan->cell_height + caption_height(plan));
    if (plan->cell_width < 1 || plan->cell_height < 1 || width > CANVAS_SIDE_MAX ||
        height > CANVAS_SIDE_MAX)
        return NULL;
    canvas *sheet = canvas_create((int32_t)width, (int32_t)height);
    if (!sheet) return NULL;
    canvas_fill(sheet, plan->background ? plan->background : 0x070b16ff);
    canvas_point at = {GAP, GAP};
    if (plan->title) {
        canvas_text(sheet, at, title_scale(plan), 0xe8eefcff, plan->title);
        at.y += (float)((CANVAS_CELL_HEIGHT + 2) * title_scale(plan));
    }
    if (plan->subtitle) canvas_text(sheet, at, text_scale(plan), 0x9fb0d4ff, plan->subtitle);
    return sheet;
}

void sheet_add(canvas *sheet, const sheet_plan *plan, int32_t index, const canvas *frame,
               const char *caption)
{
    if (index < 0 || index >= plan->count) return;
    int32_t x = GAP + index % plan->columns * (plan->cell_width + GAP);
    int32_t y = GAP + header_height(plan) +
                index / plan->columns * (plan->cell_height + caption_height(plan));
    canvas_copy(sheet, x, y, frame);
    if (!caption) return;
    int32_t scale = text_scale(plan);
    float left = (float)x + (float)(plan->cell_width - canvas_text_width(caption, scale)) / 2;
    canvas_text(sheet, (canvas_point){floorf(left), (float)(y + plan->cell_height + 2 * scale)},
                scale, 0x9fb0d4ff, caption);
}
