"""Loads the matches of the working folder into GNU Backgammon, whose own Python runs this.

Prints a line for each game, as games/examples/backgammon_matches.rs does, with the file before it.
"""

import os

import gnubg

SEATS = {"X": "first", "O": "second"}
OWNERS = {-1: "centre", 0: "first", 1: "second"}


def cubes(index):
    """The states of the cube in the game of this index, as it is replayed move by move."""
    gnubg.navigate()
    if index:
        gnubg.navigate(game=index)
    states = []
    while True:
        try:
            info = gnubg.cubeinfo()
        except Exception:  # The cube is gone when the match is over.
            return states
        state = f"{info['cube']}/{OWNERS[info['cubeowner']]}"
        if states[-1:] != [state]:
            states.append(state)
        if gnubg.navigate(1):
            return states


def count_moves(actions):
    """The plays and passes, without one that was made of the dice that a player resigned with."""
    count = 0
    for action, after in zip(actions, list(actions[1:]) + [{"action": ""}]):
        is_resigned = after["action"] == "resign" and after["player"] == action["player"]
        if action["action"] == "move" and not is_resigned:
            count += 1
    return count


def jacoby(name):
    """The setting for a `.mat`, whose header GNU Backgammon ignores."""
    with open(name, encoding="utf-8") as file:
        return "on" if '[Jacoby "On"]' in file.read() else "off"


def summary(index, game, length):
    """What a game came to, in a match to so many points or, with 0, for money."""
    info, actions = game["info"], game["game"]
    names = [action["action"] for action in actions]
    money = "" if length else "money, "
    crawford = ", crawford" if info.get("crawford") else ""
    resigned = ", resigned" if info.get("resigned") else ""
    return (
        f"{money}{info['score-X']}-{info['score-O']}{crawford}, "
        f"{SEATS[info['winner']]} wins {info['points-won']}{resigned}, "
        f"{count_moves(actions)} moves, {names.count('take')} takes, {names.count('drop')} drops, "
        f"cube {' '.join(cubes(index))}"
    )


gnubg.command("set display off")
gnubg.command("set confirm new off")
# SGF comes first, while the setting for `.mat` is still the default.
for name in sorted(os.listdir("."), key=lambda name: name.endswith(".mat")):
    number, kind = name.split(".")
    if kind == "mat":
        gnubg.command(f"set jacoby {jacoby(name)}")
        gnubg.command(f"import mat {name}")
    else:
        gnubg.command(f"load match {name}")
    match = gnubg.match(0, 0, 1, 0)
    length = match["match-info"]["match-length"]
    for index, game in enumerate(match["games"]):
        print(f"= {kind} {number} {index + 1}: {summary(index, game, length)}")
