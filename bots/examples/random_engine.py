#!/usr/bin/env python3
"""An engine that plays random legal actions by the protocol of docs/stdio.md. It needs only Python 3.

    dragontooth-bot stdio --token my-own-secret-token -- ./random_engine.py
"""

import json
import random
import sys

HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "random.py",
    "author": "Dragontooth",
    "games": ["kamisado", "linja", "tzaar", "backgammon"],
    "legal": True,
}


def say(message):
    print(json.dumps(message), flush=True)


def choose(position, go):
    """Put your own idea here: one of position["legal"], in go["time_ms"] if that is there."""
    return random.Random(go["seed"]).choice(position["legal"])


def main():
    position = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(HELLO)
        elif message["type"] == "isready":
            say({"type": "readyok"})
        elif message["type"] == "position":
            position = message
        elif message["type"] == "go":
            answer = {"match": message["match"], "decision": message["decision"]}
            say({"type": "bestaction", **answer, "action": choose(position, message)})
        elif message["type"] == "refused":
            print(message["reason"], message["line"], file=sys.stderr)
        elif message["type"] == "quit":
            return


if __name__ == "__main__":
    main()
