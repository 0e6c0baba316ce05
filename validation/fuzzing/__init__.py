"""Coverage-guided fuzzing of what reads files and words of users, by atheris: ``make fuzz``."""
