"""Faults, made for real under real commands: kills, full disks, damaged files, lost workers."""
