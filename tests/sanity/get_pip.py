"""Stand-in for the script by which ansible-test puts pip into its virtual environments.

ansible-test downloads that script; this one runs the pip that Python itself carries, which installs the packages asked
for, pip among them, from whatever index pip is configured for.
"""

from __future__ import annotations

import ensurepip
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Install the packages named on the command line."""
    (pip,) = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
    packages = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
    return subprocess.call([sys.executable, pip / "pip", "install", *packages])


if __name__ == "__main__":
    sys.exit(main())
