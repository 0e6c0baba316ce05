"""Write the tables and the R package that are made from the code: ``make tables``."""

from collections.abc import Mapping
from pathlib import Path


def renew(files: Mapping[Path, str]) -> None:
    """Write each file whose content is another."""
    for path, current in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != current:
            path.write_text(current, encoding="utf-8")
            print(f"renewed {path}")


if __name__ == "__main__":
    from validation import r_package
    from validation.documentation.tables import pages

    renew(pages())
    renew(r_package.files())
