"""MJCF, the files of MuJoCo: read through MuJoCo's own compiler, and written."""
