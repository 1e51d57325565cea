"""Stand-in for the script by which ansible-test puts pip into its virtual environments.

ansible-test downloads that script. This one lets an environment find the packages that are installed for all of them,
pip among them, beside the cache in which it lies. One of the test import gets the pip that Python itself carries, which
installs the packages asked for from whatever index pip is configured for.
"""

from __future__ import annotations

import ensurepip
import subprocess
import sys
import sysconfig
from pathlib import Path


def main() -> int:
    """Install the packages named on the command line."""
    if "sanity.import" not in sys.prefix:
        shared = Path(__file__).parents[3] / "packages"
        Path(sysconfig.get_path("purelib"), "packages.pth").write_text(f"{shared}\n")
        return 0
    (pip,) = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
    packages = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
    return subprocess.call([sys.executable, pip / "pip", "install", *packages])


if __name__ == "__main__":
    sys.exit(main())
