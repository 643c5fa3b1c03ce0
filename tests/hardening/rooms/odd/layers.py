"""What each dialect predicts and how it trains, instead of layers."""

PREDICTS = {
    "nothing": "return None",
    "dictionary": "return {'outputs': x}",
    "objects": "return np.array([None, {}], dtype=object)",
    "words": "return np.array(['a', 'b'])",
    "half-character": "raise ValueError('half \\udc80 of it')",
    "mute": "raise Mute",
}
TRAINS = {
    "no-losses": "return None",
    "chatter": "[print('x' * 2**20) for _ in range(200)]",
}


def describe(workload, dialect):
    return {
        "predicts": PREDICTS.get(dialect.short, "return x"),
        "trains": TRAINS.get(dialect.short, "pass"),
    }
