# SPDX-License-Identifier: MIT
# ports/x86-64-windows/wine.sh - runs a Windows program in its own Wine prefix, which is created if missing.
#   reads   $folder, $port_seconds, the program      writes  $folder/wine
#   memory  some KiB below $folder if Wine's libraries are found, else the 700 MB that Wine copies      cost  a second per start
#   after   own design; sourced

# Prints the folder of Wine's libraries for 64-bit Windows programs.
wine_libraries()
{
    for place in /usr/lib/*/wine /usr/lib/wine /usr/lib64/wine /opt/wine*/lib64/wine; do
        [ -f "$place/x86_64-windows/kernel32.dll" ] && echo "$place/x86_64-windows" && return
    done
}

# With updates disabled Wine uses the folder unchanged. Programs without windows need only a link to each library.
wine_make()
{
    [ -d "$folder/wine/drive_c/windows/system32" ] && return
    libraries=$(wine_libraries)
    [ -n "$libraries" ] || return 0
    mkdir -p "$folder/wine/drive_c/windows/system32" "$folder/wine/drive_c/windows/temp" || return 1
    echo disable >"$folder/wine/.update-timestamp"
    ln -s "$libraries"/*.dll "$libraries"/*.exe "$folder/wine/drive_c/windows/system32"
}

wine_run() # PROGRAM WORD...
{
    wine_make &&
        WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" WINEPREFIX=$PWD/$folder/wine timeout "$port_seconds" wine "$@"
}
