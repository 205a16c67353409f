"""Bots to begin with: one that plays at random, and a greedy one for each game.

`python -m dragontooth play --bot dragontooth.examples.linja_greedy:LinjaGreedy`
"""
