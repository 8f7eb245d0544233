/* SPDX-License-Identifier: MIT
   tests/unit/test_verify_ends.c - verify of files that are too long or too short: each fault once.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   own design */
#include "../../host_tools/formats/bphys_private.h"
#include "../harness/files_help.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_activity(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_convert(int argc, char **argv);

static char *folder;

/* A file of one frame in each format, whole, and with three letters after its end, for which some
   formats have a rule. It is a fault with --quiet, too. */
static void bytes_behind_the_end_are_told(void)
{
    static const char *const runs[][3] = {
        /* written as, the file, the message */
        {"s.ply", "s.ply", ": data after the last row is ignored; convert goes on"},
        {"s.bgeo", "s.bgeo",
         ": 3 bytes after the end mark of the file are ignored; convert goes on"},
        {"s.geo", "s.geo", ": 3 bytes after the end mark of the file are ignored; convert goes on"},
        {"s.prt", "s.prt", ": 3 bytes after the particles are ignored; convert goes on"},
        {"s.pc2", "s.pc2", ": 3 bytes after the last sample are ignored; convert goes on"},
        {"s.mdd", "s.mdd", ": 3 bytes after the last sample are ignored; convert goes on"},
        {"s.npy", "s_location.npy", ":140: 3 bytes after the array are ignored; convert goes on"},
        {"s.tpc", "s.tpc", ": 3 bytes after the end of the clip are ignored; convert goes on"},
        {"s.vtk", "s.vtk", ": the section is unknown; convert refuses it"},
        {"s.xyz", "s.xyz", ""},
        {"s.lammpstrj", "s.lammpstrj", ": expected no row after the last atom; convert refuses it"},
    };
    static const char points[] = "frame,index,x,y,z\n1,0,1,2,3\n";
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        folder = test_folder_make();
        const char *path = test_text("%s/%s", folder, runs[i][1]),
                   *table = test_text("%s/s.csv", folder);
        test_file_write(table, points, sizeof points - 1);
        test_expect(command_convert,
                    test_text("convert %s %s/%s --quiet", table, folder, runs[i][0]), HOST_DONE,
                    NULL);
        test_expect(command_verify, test_text("verify %s", path), HOST_DONE, NULL);
        FILE *file = fopen(path, "ab");
        CHECK(file && fputs("abc", file) >= 0 && fclose(file) == 0);
        test_output output = test_command(command_verify, test_text("verify %s", path));
        test_note("%s: %s", path, output.standard);
        CHECK(output.code == HOST_DIFFERENT && strstr(output.standard, runs[i][2]));
        CHECK(strstr(output.standard, ": 1 fault in 1 file\n") != NULL);
        test_output_free(&output);
        test_expect(command_verify, test_text("verify %s --quiet", path), HOST_DIFFERENT, NULL);
        test_folder_remove(folder);
    }
}

/* convert reports it once, for the first file that has such bytes. */
static void bytes_behind_the_end_of_later_files_are_told(void)
{
    static const char *const endings[] = {"ply", "bgeo", "geo", "prt"};
    static const char points[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n3,0,1,2,3\n";
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        folder = test_folder_make();
        const char *table = test_text("%s/s.csv", folder),
                   *path = test_text("%s/s.%s", folder, endings[i]);
        test_file_write(table, points, sizeof points - 1);
        test_expect(command_convert, test_text("convert %s %s --quiet", table, path), HOST_DONE,
                    NULL);
        for (int frame = 2; frame <= 3; frame++) {
            FILE *file = fopen(test_text("%s/s.%04d.%s", folder, frame, endings[i]), "ab");
            CHECK(file && fputs("abc", file) >= 0 && fclose(file) == 0);
        }
        test_output output = test_command(command_verify, test_text("verify %s", path));
        test_note("%s: %s", path, output.standard);
        CHECK(output.code == HOST_DIFFERENT && strstr(output.standard, ": 2 faults in 2 files\n") &&
              strstr(output.standard, "/s.0002.") && strstr(output.standard, "/s.0003."));
        test_output_free(&output);
        output = test_command(command_convert, test_text("convert %s %s/back.csv", path, folder));
        test_note("%s: %s", path, output.errors);
        CHECK(output.code == HOST_DONE && strstr(output.errors, "/s.0002.") &&
              !strstr(output.errors, "/s.0003."));
        test_output_free(&output);
        test_folder_remove(folder);
    }
}

static void expect_one_fault(const char *paths, const char *text)
{
    test_output output = test_command(command_verify, test_text("verify %s", paths));
    test_note("expected %s in %s%s", text, output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, text) && strstr(output.standard, ": 1 fault in 1 file\n"));
    test_output_free(&output);
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "ab");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Each fault is reported once: for any number of files of a sequence on the command line, and a
   damaged file is not also reported as missing. */
static void faults_are_told_once(void)
{
    static const char *const endings[] = {"ply", "vtk", "prt", "bgeo", "geo", "npy"};
    static const char points[] = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,1,2,3\n2,0,1,2,3,1,2,3\n3,"
                                 "0,1,2,3,1,2,3\n4,0,1,2,3,1,2,3\n";
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        folder = test_folder_make();
        const char *e = endings[i], *table = test_text("%s/s.csv", folder);
        bool is_npy = strcmp(e, "npy") == 0;
        test_file_write(table, points, sizeof points - 1);
        test_expect(command_convert, test_text("convert %s %s/s.*.%s --quiet", table, folder, e),
                    HOST_DONE, NULL);
        const char *stem = test_text("%s/s%s", folder, is_npy ? "_velocity" : "");
        const char *all = test_text("%s.0001.%s %s.0002.%s %s.0003.%s %s/s%s.0004.%s", stem, e,
                                    stem, e, stem, e, folder, is_npy ? "_location" : "", e);
        test_expect(command_verify, test_text("verify %s", all), HOST_DONE, NULL);
        CHECK(truncate(test_text("%s.0003.%s", stem, e), 40) == 0);
        expect_one_fault(all, test_text("%s.0003.%s:", stem, e));
        expect_one_fault(test_text("%s/s.*.%s", folder, e), ", 3 frames, 3 points: ");
        test_folder_remove(folder);
    }
}

/* A damaged file is no gap, but missing files beside it are. Undamaged files are verified. */
static void holes_beside_damage_are_told(void)
{
    static const char *const endings[] = {"ply", "npy"};
    static const char points[] =
        "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n3,0,1,2,3\n6,0,1,2,3\n7,0,1,2,3\n";
    for (size_t i = 0; i < 2; i++) {
        folder = test_folder_make();
        const char *e = endings[i], *stream = i ? "_location" : "";
        test_file_write(test_text("%s/s.csv", folder), points, sizeof points - 1);
        test_expect(command_convert,
                    test_text("convert %s/s.csv %s/s.*.%s --quiet", folder, folder, e), HOST_DONE,
                    NULL);
        CHECK(truncate(test_text("%s/s%s.0003.%s", folder, stream, e), 40) == 0);
        test_output output = test_command(command_verify, test_text("verify %s/s.*.%s", folder, e));
        test_note("%s", output.standard);
        CHECK(strstr(output.standard, ": after frame 3 comes frame 6; the usual step is 1") &&
              strstr(output.standard, ", 4 frames, 4 points: 2 faults in 2 files\n"));
        test_output_free(&output);
        for (int frame = 1; frame <= 6; frame++)
            remove(test_text("%s/s%s.%04d.%s", folder, stream, frame, e));
        test_expect(command_convert,
                    test_text("convert %s/s.csv %s/s.*.%s --quiet --frames 1-1", folder, folder, e),
                    HOST_DONE, NULL);
        CHECK(truncate(test_text("%s/s%s.0007.%s", folder, stream, e), 40) == 0);
        expect_one_fault(test_text("%s/s.*.%s", folder, e), ", 1 frame, 1 points: ");
        test_folder_remove(folder);
    }
}

static void bytes_behind_the_numbers_of_frames_are_told(void)
{
    static const char points[] = "frame,index,x,y,z\n3,0,1,2,3\n5,0,1,2,3\n";
    folder = test_folder_make();
    test_file_write(test_text("%s/s.csv", folder), points, sizeof points - 1);
    test_expect(command_convert, test_text("convert %s/s.csv %s/s.npy --quiet", folder, folder),
                HOST_DONE, NULL);
    append(test_text("%s/s_frame.npy", folder), "abc");
    expect_one_fault(test_text("%s/s.npy", folder), "/s_frame.npy:");
    test_folder_remove(folder);
}

static void other_formats_of_a_folder_are_noted(void)
{
    static const char points[] = "frame,index,x,y,z\n1,0,1,2,3\n";
    folder = test_folder_make();
    test_file_write(test_text("%s/s.csv", folder), points, sizeof points - 1);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/s.csv %s/s.ply --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE,
                "note: the folder also holds .ply files, which are ignored; name them, or give "
                "--from ply\n");
    test_expect(
        command_convert, test_text("convert %s %s/t.tpc", folder, folder), HOST_USAGE,
        test_text(
            "the folder holds .csv and .ply files; name one, for example %s/s.csv, or give --from "
            "csv\n",
            folder));
    test_expect(command_convert,
                test_text("convert %s %s/t.tpc --from ply --quiet", folder, folder), HOST_DONE,
                NULL);
    test_folder_remove(folder);
}

/* If primitives follow the points, the end mark is expected at the end of the file. */
static void ends_behind_primitives_are_found(void)
{
    static const char text[] = "PGEOMETRY V5\nNPoints 1 NPrims 1\nNPointGroups 0 NPrimGroups 0\n"
                               "NPointAttrib 0 NVertexAttrib 0 NPrimAttrib 0 NAttrib 0\n0 1 2 1\n"
                               "Part 1 0 \nbeginExtra\nendExtra\nabc";
    static const uint8_t bytes[] =
        "BgeoV\0\0\0\5\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\0\0\0\0\x3f\x80\0\0\x40\0\0\0\x3f\x80\0\0\0\0\x80\0\0\0\0\1\0\0\0\0\0\xff";
    folder = test_folder_make();
    char *geo = host_text("%s/a.geo", folder), *bgeo = host_text("%s/a.bgeo", folder);
    test_file_write(geo, text, sizeof text - 4);
    test_expect(command_verify, test_text("verify %s", geo), HOST_DONE, NULL);
    test_file_write(geo, text, sizeof text - 1);
    expect_one_fault(geo, ": 3 bytes after the end mark of the file are ignored; convert goes on");
    test_file_write(geo, test_text("%.*s%s", (int)sizeof text - 4, text, text),
                    2 * sizeof text - 5);
    expect_one_fault(
        geo, test_text(": %zu bytes after the end mark of the file are ignored; convert goes on",
                       sizeof text - 1));
    test_file_write(geo, text, sizeof text - 6);
    expect_one_fault(
        geo, ": the end mark of the file is missing; its points are complete; convert goes on");
    test_file_write(bgeo, bytes, sizeof bytes - 1);
    test_expect(command_verify, test_text("verify %s", bgeo), HOST_DONE, NULL);
    test_file_write(bgeo, bytes, sizeof bytes - 2);
    expect_one_fault(
        bgeo, ": the end mark of the file is missing; its points are complete; convert goes on");
    free(geo);
    free(bgeo);
    test_folder_remove(folder);
}

/* A name in a file cannot control the terminal, and JSON stays valid. */
static void names_of_files_are_made_readable(void)
{
    static const char points[] = "frame,index,x,y,z,\033[31m\xee\n1,0,1,2,3,4\n";
    folder = test_folder_make();
    char *path = host_text("%s/a\xee\033.csv", folder);
    test_file_write(path, points, sizeof points - 3); /* a row that is cut short */
    test_output output = test_command(command_verify, test_text("verify %s --json", path));
    test_file_write(path, points, sizeof points - 1);
    test_note("%s%s", output.standard, output.errors);
    CHECK(strstr(output.standard, "/a\\ufffd\\u001b.csv\"") != NULL);
    CHECK(!strchr(output.standard, '\xee') && !strchr(output.standard, '\033'));
    test_output_free(&output);
    output = test_command(command_convert, test_text("convert %s %s/a.tpc", path, folder));
    test_note("%s", output.errors);
    CHECK(strstr(output.errors, "column \"?[31m?\" is unknown and ignored") != NULL);
    test_output_free(&output);
    output = test_command(command_activity, test_text("activity %s --svg %s/a.svg", path, folder));
    test_note("%s%s", output.standard, output.errors);
    CHECK(strstr(output.standard, "/a??.csv: 1 frame") &&
          strstr(output.errors, "/a??.csv:18: note: column"));
    test_output_free(&output);
    uint8_t *drawn;
    size_t size;
    if (CHECK_EQ(host_read_file(test_text("%s/a.svg", folder), &drawn, &size), HOST_DONE)) {
        CHECK(strstr((char *)drawn, "activity of a?"
                                    "?</"));
        CHECK(!strchr((char *)drawn, '\xee') && !strchr((char *)drawn, '\033'));
        free(drawn);
    }
    free(path);
    test_folder_remove(folder);
}

/* ---- files of several types in one folder */

/* Two points of each type; smoke with its header only. */
static void write_type(const char *path, uint32_t type, bool is_info)
{
    static const uint32_t streams[POINT_TYPES] = {6, 3, 6, 0, 0, 3, 10};
    static const size_t bytes[POINT_TYPES] = {48, 32, 48, 0, 0, 4 + 4 + 1 + 8, 56};
    uint8_t file[BPHYS_HEADER_BYTES + 64] = {0};
    uint8_t *body = file + BPHYS_HEADER_BYTES;
    bphys_store_header(file, type, 2, is_info ? POINT_BIT(POINT_TIMES) : streams[type]);
    if (type == POINT_DYNAMIC_PAINT) memcpy(body, "1.01\2", 5);
    if (type == POINT_PARTICLES && !is_info) body[16] = 1; /* the second index */
    /* death 1 */
    if (is_info) body[4 + 2] = body[12 + 4 + 2] = 0x80, body[4 + 3] = body[12 + 4 + 3] = 0x3f;
    test_file_write(path, file, BPHYS_HEADER_BYTES + (is_info ? 24 : bytes[type]));
}

/* Each pair of types, with and without an info file. Folders that info accepts may have other
   faults. */
static void a_folder_that_info_refuses_for_its_types_has_a_fault(void)
{
    for (uint32_t i = 0; i < 3 * POINT_TYPES * POINT_TYPES; i++) {
        uint32_t type = i / 3 % POINT_TYPES, other = i / 3 / POINT_TYPES, has_info = i % 3;
        if (has_info == 1 && type != POINT_PARTICLES) continue;
        folder = test_folder_make();
        if (has_info == 2)
            write_type(test_text("%s/a_000000_00.bphys", folder), POINT_PARTICLES, true);
        write_type(test_text("%s/a_%06u_00.bphys", folder, has_info == 1 ? 0u : 1u), type,
                   has_info == 1);
        write_type(test_text("%s/a_000002_00.bphys", folder), other, false);
        test_output info = test_command(command_info, test_text("info %s", folder));
        test_output verify = test_command(command_verify, test_text("verify %s", folder));
        bool is_mixed = type != other || (has_info == 2 && type != POINT_PARTICLES);
        test_note("%s, %s, %u: %s%s", point_type_name(type), point_type_name(other), has_info,
                  info.errors, verify.standard);
        CHECK_EQ(info.code, is_mixed ? HOST_BAD_INPUT : HOST_DONE);
        CHECK((strstr(verify.standard, ".bphys:8: type is ") != NULL) == is_mixed);
        CHECK(!is_mixed || verify.code == HOST_DIFFERENT);
        test_output_free(&info);
        test_output_free(&verify);
        test_folder_remove(folder);
    }
}

static const test_case cases[] = {
    TEST_CASE(bytes_behind_the_end_are_told),
    TEST_CASE(bytes_behind_the_end_of_later_files_are_told),
    TEST_CASE(faults_are_told_once),
    TEST_CASE(holes_beside_damage_are_told),
    TEST_CASE(bytes_behind_the_numbers_of_frames_are_told),
    TEST_CASE(other_formats_of_a_folder_are_noted),
    TEST_CASE(ends_behind_primitives_are_found),
    TEST_CASE(names_of_files_are_made_readable),
    TEST_CASE(a_folder_that_info_refuses_for_its_types_has_a_fault),
};
TEST_SUITE(verify_ends, cases);
