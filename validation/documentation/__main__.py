"""Write the tables that are made from the code into the pages: ``make tables``."""

from validation.documentation.tables import pages

for path, current in pages().items():
    if path.read_text(encoding="utf-8") != current:
        path.write_text(current, encoding="utf-8")
        print(f"renewed {path}")
