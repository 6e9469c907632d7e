"""How figures show a trained model and its two nulls: colours that colour-blind readers tell apart, names, markers."""

COLOURS = {"trained": "#0072B2", "fresh": "#E69F00", "shuffled": "#009E73"}
NAMES = {"trained": "trained", "fresh": "fresh initialisation", "shuffled": "shuffled entries"}
MARKERS = {"trained": "o", "fresh": "^", "shuffled": "s"}
