"""Stand-in for the script by which ansible-test puts pip into its virtual environments.

ansible-test downloads that script; this one takes the pip that Python itself carries and then brings it and the other
packages asked for to their versions, from whatever index pip is configured for.
"""

from __future__ import annotations

import ensurepip
import os
import subprocess
import sys


def main() -> int:
    """Install pip, then the packages named on the command line."""
    ensurepip.bootstrap()
    os.environ.pop("PIP_CONFIG_FILE", None)  # ensurepip sets it to /dev/null, for the processes that follow as well
    packages = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
    return subprocess.call([sys.executable, "-m", "pip", "install", *packages])


if __name__ == "__main__":
    sys.exit(main())
