"""Labels clouds with a model and prints what was found: label.py MODEL OUT_FOLDER FILE..."""
import logging
import sys
from pathlib import Path
from typing import List

import gelatto


def main(words: List[str]) -> int:
    if len(words) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    model = gelatto.load(words[0])
    folder = Path(words[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in words[2:]:
        try:
            with gelatto.Context(progress=True):
                result = model.predict(path)
            result.save(folder / Path(path).name)
            print(path, result)
        except gelatto.Error as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
