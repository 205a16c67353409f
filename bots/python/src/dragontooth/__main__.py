"""`python -m dragontooth`."""

import sys

from dragontooth.command_line import main

if __name__ == "__main__":
    sys.exit(main())
