# SPDX-License-Identifier: MIT
# ports/bindings/godot/dam_break.gd - prints the hash of dam_break after the frames that follow `--`.
#   reads   tidepool.gdextension and its library, beside it      writes  the hash
#   memory  a block of a few hundred KB      cost  as the scene: some ms per frame
#   after   godot --headless --path FOLDER --script dam_break.gd -- 60
extends SceneTree

func _init():
	if not ClassDB.class_exists("Tidepool"):
		GDExtensionManager.load_extension("res://tidepool.gdextension")
	var frames = int(OS.get_cmdline_user_args()[0])
	var tidepool = ClassDB.instantiate("Tidepool")
	var hash_of = tidepool.dam_break(frames)
	print("%08x%08x" % [(hash_of >> 32) & 0xffffffff, hash_of & 0xffffffff])
	quit()
