"""Where the program starts: signals first, then everything else.

Ctrl-C ends with 130 and SIGTERM with 143, without a word, also while modules are still being imported. A command that
has something to finish replaces the handlers while it works.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    sys.path.pop(0)  # `python -m` puts the current folder first, and a json.py in it would be run

VERSION_FLAGS = (["--version"], ["-V"])


def main() -> None:
    """The console script."""
    if sys.argv[1:] in VERSION_FLAGS:
        sys.exit(_print_version())  # before anything is loaded: 1 ms instead of 60
    _end_on_signals()
    from reactcli.cli.shell import main as run

    sys.exit(run(sys.argv[1:]))


def _print_version() -> int:
    from reactcli import __version__
    from reactcli.cli.output import Output
    from reactcli.errors import ReactcliError
    from reactcli.render import Safe

    out = Output("stdout")
    try:
        out.write(Safe(f"reactcli {__version__}\n"))
        out.flush()
    except (OSError, ReactcliError):
        from reactcli.cli.shell import main as run

        return run(sys.argv[1:])  # fails alike, and explains
    return 0


def _end_on_signals() -> None:
    import signal

    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, lambda *_, code=code: os._exit(code))


if __name__ == "__main__":
    main()
