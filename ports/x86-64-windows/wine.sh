# SPDX-License-Identifier: MIT
# ports/x86-64-windows/wine.sh - runs a Windows program in a Windows of its own, which is made when there is none yet.
#   reads   $folder, $port_seconds, the program      writes  $folder/wine
#   memory  some KiB below $folder where Wine's own libraries are found, else what Wine copies, 700 MB      cost  a second a start
#   after   own design; sourced

# Where Wine keeps its libraries for Windows programs of 64 bits.
wine_libraries()
{
    for place in /usr/lib/*/wine /usr/lib/wine /usr/lib64/wine /opt/wine*/lib64/wine; do
        [ -f "$place/x86_64-windows/kernel32.dll" ] && echo "$place/x86_64-windows" && return
    done
}

# Without an update Wine takes the folder as it is: a link a library is all that programs without windows need.
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
