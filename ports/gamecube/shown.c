/* SPDX-License-Identifier: MIT
   ports/gamecube/shown.c - converts a picture of the video interface (YCbCr 4:2:2) to PPM.
   reads   standard input: two pixels in four bytes, Y Cb Y Cr      writes  standard output
   memory  none      cost    none
   after   BT.601 in limited range */
#include <stdint.h>
#include <stdio.h>

static void put_limited(double value)
{
    int whole = (int)(value + 0.5);
    putchar(value < 0 ? 0 : whole > 255 ? 255 : whole);
}

static void put_pixel(int bright, int to_blue, int to_red)
{
    double y = 1.164384 * (bright - 16), blue = to_blue - 128, red = to_red - 128;
    put_limited(y + 1.596027 * red);
    put_limited(y - 0.391762 * blue - 0.812968 * red);
    put_limited(y + 2.017232 * blue);
}

int main(void)
{
    uint8_t pair[4];
    printf("P6\n640 480\n255\n");
    for (uint32_t i = 0; i < 640 * 480 / 2; i++) {
        if (fread(pair, 1, 4, stdin) != 4) return 1;
        put_pixel(pair[0], pair[1], pair[3]);
        put_pixel(pair[2], pair[1], pair[3]);
    }
    return fflush(stdout) != 0;
}
