/* SPDX-License-Identifier: MIT
   ports/gba/complement.c - writes the header checksum into a cartridge image.
   reads   the image      writes  one byte of it
   memory  its first 192 bytes      cost    none
   after   the cartridge header: bytes 0xa0 to 0xbd and 0x19 sum up to 0 */
#include <stdio.h>

int main(int count, char **words)
{
    unsigned char header[192];
    unsigned char sum = 0x19;
    FILE *file = count == 2 ? fopen(words[1], "r+b") : NULL;
    if (!file || fread(header, 1, sizeof header, file) != sizeof header) return 1;
    for (int i = 0xa0; i < 0xbd; i++) sum = (unsigned char)(sum + header[i]);
    sum = (unsigned char)(0x100 - sum);
    if (fseek(file, 0xbd, SEEK_SET) != 0 || fputc(sum, file) == EOF) return 1;
    return fclose(file) != 0;
}
