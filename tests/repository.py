"""The repository's own files, and copies of them to break."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def own_files() -> list[Path]:
    """Return what git tracks, or would if it were added, relative to the root."""
    done = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [Path(name) for name in done.stdout.split("\0") if name]
    return [name for name in names if (ROOT / name).is_file()]


def copy_to(folder: Path) -> Path:
    """Copy those files as they are now, which a clone would have once they are committed."""
    for name in own_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder
