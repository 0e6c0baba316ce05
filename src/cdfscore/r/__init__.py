"""R beside Python: the twins in a running R, and as stand-alone scripts."""
