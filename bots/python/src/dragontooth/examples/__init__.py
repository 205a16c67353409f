"""Bots to begin with, to be played by `python -m dragontooth play --bot`."""
