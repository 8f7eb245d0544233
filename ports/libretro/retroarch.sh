# SPDX-License-Identifier: MIT
# ports/libretro/retroarch.sh - tests the core in RetroArch, on a virtual display.
#   reads   $1/screen.so, $1/native.ppm      writes  $1/retroarch: its settings, logs, pictures
#   memory  below that folder      cost  some seconds
#   after   own design; sourced. RetroArch draws with OpenGL, rendered by Mesa

retroarch_settings() # FOLDER FRAMES_AHEAD
{
    cat <<END
video_driver = "gl"
audio_driver = "null"
input_driver = "null"
input_joypad_driver = "null"
video_scale = "1"
video_smooth = "false"
video_font_enable = "false"
config_save_on_exit = "false"
rewind_enable = "true"
run_ahead_enabled = "$([ "$2" -gt 0 ] && echo true || echo false)"
run_ahead_frames = "$2"
run_ahead_secondary_instance = "false"
libretro_directory = "$1"
libretro_info_path = "$1"
END
}

retroarch_run() # FOLDER NAME FRAMES FRAMES_AHEAD
{
    retroarch_settings "$1" "$4" >"$1/$2.cfg"
    HOME=$1 XDG_CONFIG_HOME=$1 XDG_RUNTIME_DIR=$1 timeout 120 xvfb-run -a -s "-screen 0 800x600x24" retroarch --verbose --config "$1/$2.cfg" \
        -L "$1/tidepool_libretro.so" "--max-frames=$3" --max-frames-ss "--max-frames-ss-path=$1/$2.png" </dev/null >"$1/$2.log" 2>&1 &&
        convert "$1/$2.png" -depth 8 "$1/$2.ppm" || { tail -5 "$1/$2.log"; return 1; }
}

# RetroArch must show the picture that this machine draws. With run-ahead of two frames it restores a state in every frame; its
# picture must equal the picture without run-ahead two frames later.
retroarch_shows_the_same() # FOLDER
{
    where=$PWD/$1/retroarch
    rm -rf "$where"
    mkdir -p "$where"
    cp "$1/screen.so" "$where/tidepool_libretro.so" && cp ports/libretro/tidepool_libretro.info "$where" || return 1
    retroarch_run "$where" plain 120 0 && retroarch_run "$where" later 122 0 && retroarch_run "$where" ahead 120 2 || return 1
    "$1/picture" $screen_size "$where/plain.ppm" "$where/shown.png" "$1/native.ppm" 0 || return 1
    cmp "$where/later.ppm" "$where/ahead.ppm" || return 1
    if cmp -s "$where/later.ppm" "$where/plain.ppm"; then echo "two frames later is the same picture"; return 1; fi
    if grep -i 'lacks' "$where/ahead.log" || ! grep -q 'Initializing rewind buffer' "$where/ahead.log"; then return 1; fi
}
