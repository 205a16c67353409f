"""The secret of a player, and its shares of the seeds of its matches."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets


def own_secret() -> str:
    """Returns the secret of the shares: DRAGONTOOTH_DRAW_SECRET, or else a random one."""
    return os.environ.get("DRAGONTOOTH_DRAW_SECRET") or secrets.token_hex(32)


def share(secret: str, commitment: str) -> str:
    """Returns a player's share of the seed of the matches with this commitment.

    HMAC-SHA256 under the player's secret of a tag and the commitment, in hexadecimal digits; the
    same in all programs of Dragontooth. It is the same in matches that share a seed, and says
    nothing about the share in any other.
    """
    text = b"dragontooth.share.v1\0" + commitment.encode()
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
