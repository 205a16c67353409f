"""Compares lists of legal plays with those of gnubg-nn.

Reads lines of a position id, two dice and the position ids that the legal plays
lead to; prints what differs, and the number of lines.
"""

import sys

import gnubg_nn

lines = differences = 0
for line in sys.stdin:
    position, dice, *found = line.split()
    board = gnubg_nn.board_from_position_id(position)
    keys = gnubg_nn.moves(board, int(dice[0]), int(dice[1]))
    boards = [gnubg_nn.board_from_position_key(key) for key in keys]
    expected = {gnubg_nn.position_id([list(side) for side in board]) for board in boards}
    lines += 1
    if expected != set(found) or len(found) != len(set(found)):
        differences += 1
        if differences <= 20:
            print(line.strip(), "but gnubg-nn has", *sorted(expected))
print(lines, "positions,", differences, "differ")
sys.exit(differences > 0 or lines == 0)
