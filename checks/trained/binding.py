"""The binding task: facts on who likes which colour, each a block, and the question for one of them (dec.emp)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headproof.checks.trained.models import Model
from headproof.checks.trained.tasks import (
    ASKED,
    Asked,
    BlockPrompt,
    Ids,
    asked_numbers,
    decoded,
    encode,
    opened,
    positions,
    require_room,
    require_seed,
)
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer, short
from headproof.theory.scores.blocks import Blocks

# Openings of 2, 3, ... words and stops: one of them stands before the facts, so that the first fact is written as all
# others are, after a full stop and a space.
OPENINGS = (
    "Here are some facts.",
    "Facts.",
    "Some facts.",
    "Here are facts.",
    "Here are some more facts.",
    "Here are some facts about people.",
    "Here are some facts about a few people.",
    "Here are some facts about people and about colors.",
    "Here are some facts about a few people and some colors.",
    "Here are some facts about a few people and about the colors.",
    "Here are some facts about a few people and about some of the colors.",
)


def fact(name: str, colour: str) -> str:
    """One fact.

    >>> fact("Alice", "red")
    'Alice likes red.'
    """
    return f"{name} likes {colour}."


def question(name: str) -> str:
    """The question after all facts, up to the word before the colour.

    >>> question("Alice")
    'What color does Alice like? Alice likes'
    """
    return f"What color does {name} like? {name} likes"


def binding_prompts(
    model: Model, facts: int = 48, asked: Asked = ASKED, seed: int = 0, with_sink: bool = False
) -> tuple[BlockPrompt, ...]:
    """`facts` sentences such as "Alice likes red." and the question for one of them, a prompt for each fact asked.

    `asked` names facts: "first", "middle", "last", "every", or numbers from 0; one named twice is asked once. The
    facts are the blocks, and all prompts of one seed share them. Names are distinct, and colours are dealt as evenly
    as can be; of both, those of the token count that is commonest in this tokenizer are used. An opening sentence keeps
    position 0 out of the blocks. With `with_sink` the opening, with the tokenizer's first token, is exactly as long as
    a fact and is block 0, so that fact `k` is block `k + 1`. Raises InputError for fewer than two facts, for more than
    the tokenizer or the model's positions allow (it says how many), a fact that is not there, and a model without a
    tokenizer or with one that does not write all facts in equally many tokens.
    """
    count = require_integer(facts, "the number of facts", 2)
    chance = np.random.default_rng(start := require_seed(seed))
    names = tuple(_words(model, NAMES))
    # A colour is known by its first token, which is the answer.
    colours = tuple({piece[0]: colour for colour, piece in _words(model, COLOURS).items()}.values())
    allowed = len(names) if len(colours) > 1 else 0
    if count > allowed:
        raise InputError(
            f"the tokenizer of {model.source.name} allows {allowed} facts, not {short(count)}: of one token count "
            f"it has {len(names)} names and, apart by their first tokens, {len(colours)} colours",
            "ask for fewer facts" if allowed > 1 else "choose another task",
        )
    numbers = asked_numbers(asked, count, "fact")
    people = [names[k] for k in chance.permutation(len(names))[:count]]
    decks = [chance.permutation(len(colours)) for _ in range(-(-count // len(colours)))]
    made = _facts(model, people, [colours[k] for k in np.concatenate(decks)[:count]])
    opening = _opening(model, made.length) if with_sink else OPENINGS[0]
    return tuple(
        _prompt(model, made, opening, number, f"binding-{count}-{label}-s{start}", start, with_sink)
        for label, number in numbers
    )


@dataclass(frozen=True)
class _Facts:
    """Names, colours and sentences of all facts, and the tokens of each sentence: `length` of them each."""

    names: Sequence[str]
    colours: Sequence[str]
    sentences: Sequence[str]
    pieces: Sequence[Ids]
    length: int


def _prompt(
    model: Model, facts: _Facts, opening: str, asked: int, name: str, seed: int, with_sink: bool
) -> BlockPrompt:
    count, length = len(facts.pieces), facts.length
    text = " ".join((opening, *facts.sentences, question(facts.names[asked])))
    prefix, bare = opened(model, text)
    tokens = prefix + bare
    first = len(prefix) + len(encode(model, [opening])[0])
    if not first:
        raise InputError(f"the tokenizer of {model.source.name} has no token for {opening!r}", "choose another task")
    if tokens[first : first + count * length] != tuple(one for piece in facts.pieces for one in piece):
        raise InputError(f"the tokenizer of {model.source.name} writes facts in a row otherwise than one by one")
    if (most := positions(model)) is not None:
        fits = max(0, count - -(-(len(tokens) - most) // length))
        require_room(model, len(tokens), f"a prompt of {count} facts", f"ask for at most {fits} facts")
    following = _continued(model, text, [facts.colours[asked]])[0]
    if not following or following[0] not in facts.pieces[asked]:
        colour = facts.colours[asked]
        raise InputError(f"the tokenizer of {model.source.name} writes {colour!r} otherwise in the answer")
    return BlockPrompt(
        name=f"{name}-sink" if with_sink else name,
        task="binding",
        seed=seed,
        tokens=tokens,
        blocks=Blocks.tiling(0 if with_sink else first, first + count * length, length),
        target=asked + with_sink,
        answer=following[0],
        text=decoded(model, tokens),
    )


def _facts(model: Model, names: Sequence[str], colours: Sequence[str]) -> _Facts:
    """Facts in which every sentence has as many tokens as the first. Raises InputError if one has not."""
    sentences = [fact(name, colour) for name, colour in zip(names, colours, strict=True)]
    pieces = _continued(model, OPENINGS[0], sentences)
    length = len(pieces[0])
    for sentence, piece in zip(sentences, pieces, strict=True):
        if len(piece) != length or not _same(model, piece, sentence):
            raise InputError(
                f"the tokenizer of {model.source.name} writes {sentence!r} as {len(piece)} tokens, "
                f"{decoded(model, piece)!r}, and {sentences[0]!r} as {length}",
                "choose another task",
            )
    return _Facts(names, colours, sentences, pieces, length)


def _opening(model: Model, length: int) -> str:
    """An opening of exactly `length` tokens, those that the tokenizer puts first among them."""
    for one in OPENINGS:
        if len(sum(opened(model, one), ())) == length:
            return one
    raise InputError(
        f"no opening has {length} tokens, as the facts have, in the tokenizer of {model.source.name}",
        "leave the sink out of the blocks",
    )


def _words(model: Model, words: Sequence[str]) -> dict[str, Ids]:
    """Those words that the tokenizer writes in full, and in the count of tokens that most of them have."""
    pieces = dict(zip(words, _continued(model, OPENINGS[0], words), strict=True))
    written = {word: piece for word, piece in pieces.items() if piece and _same(model, piece, word)}
    counts = Counter(len(piece) for piece in written.values())
    common = min(counts, key=lambda length: (-counts[length], length), default=0)
    return {word: piece for word, piece in written.items() if len(piece) == common}


def _continued(model: Model, text: str, words: Sequence[str]) -> list[Ids]:
    """The tokens that each word adds to a text after a space; none if it changes the text's own tokens."""
    (before,) = encode(model, [text])
    after = encode(model, [f"{text} {word}" for word in words])
    return [ids[len(before) :] if ids[: len(before)] == before else () for ids in after]


def _same(model: Model, tokens: Ids, text: str) -> bool:
    """Whether tokens are read as a text, but for spaces and capitals."""
    return "".join(decoded(model, tokens).split()).casefold() == "".join(text.split()).casefold()


# Of these a tokenizer's commonest lengths are used; none is another without its capitals.
_COLOURS = """
red green blue yellow white black orange purple brown pink grey gold silver violet crimson scarlet turquoise
beige maroon navy teal cyan magenta indigo lavender ivory olive tan coral amber bronze copper emerald lilac
khaki peach
"""
_NAMES = """
Aaron Abigail Abraham Adam Adela Adrian Agatha Agnes Ahmed Aidan Aileen Alan Albert Alec Alex Alexander
Alexandra Alexis Alfred Ali Alice Alicia Alison Allan Allen Allison Alma Alvin Alyssa Amanda Amelia Amir Amy Ana
Anders Andre Andrea Andreas Andrew Andy Angela Angelo Angus Anita Ann Anna Anne Annie Anthony Antoine Anton
Antonio Ariel Arjun Arnold Arthur Arturo Ashley Astrid Audrey August Augustus Aurora Austin Ava Bailey Barbara
Barnaby Barry Bart Basil Beatrice Becky Belinda Bella Ben Benedict Benjamin Bernard Bernie Bert Bertha Beth
Betsy Betty Beverly Bianca Bill Billy Blake Bob Bobby Bonnie Boris Brad Bradley Brandon Brenda Brendan Brent
Brett Brian Bridget Bruce Bruno Bryan Byron Caleb Calvin Cameron Camilla Camille Carl Carla Carlos Carmen Carol
Caroline Carter Casey Cassandra Catherine Cathy Cecil Cecilia Cedric Celia Celine Cesar Chad Charles Charlie
Charlotte Chelsea Cheryl Chloe Chris Christian Christina Christine Christopher Cindy Claire Clara Clarence Clark
Claude Claudia Clayton Clement Clifford Clive Clyde Cody Colin Connie Connor Conrad Constance Cora Corey Craig
Cristina Curtis Cynthia Cyril Cyrus Daisy Dale Damian Dan Dana Daniel Daniela Danielle Danny Daphne Darius
Darren Dave David Dean Deborah Deirdre Delia Denis Denise Dennis Derek Desmond Diana Diane Diego Dimitri Dinah
Dominic Don Donald Donna Dora Doris Dorothy Doug Douglas Duncan Dustin Dwight Dylan Earl Ed Eddie Edgar Edith
Edmund Eduardo Edward Edwin Eileen Elaine Eleanor Elena Eli Elias Elijah Elisa Elise Elizabeth Ella Ellen Elliot
Elsa Elsie Elvis Emil Emily Emma Enrique Eric Erica Erik Erin Ernest Ernesto Esther Ethan Ethel Eugene Eva Evan
Eve Evelyn Ezra Fatima Felicia Felix Fernando Fiona Florence Floyd Frances Francesca Francis Francisco Frank
Franklin Franz Fred Freddie Frederick Freya Frida Gabriel Gareth Gary Gavin Geoffrey George Georgia Gerald
Gerard Gertrude Gideon Gilbert Gina Giovanni Gladys Glen Glenn Gloria Gordon Graham Grant Greg Gregory Greta
Guido Gustav Guy Gwen Hannah Hans Harold Harriet Harris Harry Harvey Hassan Heather Hector Heidi Helen Helena
Helga Henri Henrietta Henry Herbert Herman Hilda Homer Horace Howard Hubert Hugh Hugo Ian Ibrahim Ida Ignacio
Igor Ike Ingrid Ira Irene Iris Irma Isaac Isabel Isabella Isaiah Ismael Ivan Jack Jackie Jackson Jacob
Jacqueline Jake James Jamie Jan Jane Janet Janice Jared Jasmine Jason Jasper Javier Jay Jean Jeff Jeffrey
Jennifer Jenny Jeremiah Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Joan Joanna Joanne Joe Joel Johanna
Johannes John Johnny Jon Jonah Jonas Jonathan Jordan Jorge Jose Joseph Josephine Josh Joshua Joy Joyce Juan
Juanita Judith Judy Julia Julian Juliana Julie Juliet Julio Julius Justin Karen Karim Karin Karl Karla Kate
Katherine Kathleen Kathryn Kathy Katie Katrina Kay Keith Kelly Ken Kendra Kenneth Kenny Kevin Kim Kira Kirk
Klaus Kristen Kristin Kurt Kyle Lance Larry Lars Laura Lauren Laurence Laurie Lawrence Lea Leah Leila Lena Leo
Leon Leonard Leonardo Leopold Leroy Leslie Lewis Lillian Linda Lindsay Lionel Lisa Liz Lloyd Lois Lola Lorenzo
Loretta Louis Louisa Louise Lucas Lucia Lucille Lucinda Lucy Luigi Luis Luke Luther Lydia Lynn Mabel Madeleine
Madison Maggie Malcolm Manuel Marco Marcus Margaret Margot Maria Marian Mariana Marianne Marie Marilyn Mario
Marion Marjorie Mark Marlene Marsha Marshall Martha Martin Marvin Mary Mathilda Matt Matthew Maureen Maurice Max
Maxine Maxwell Megan Melanie Melissa Melvin Meredith Mia Michael Michel Michelle Miguel Mike Mildred Miles
Milton Mina Miranda Miriam Mitchell Mohamed Moira Molly Mona Monica Morgan Morris Moses Muhammad Muriel Myra
Nadia Nancy Naomi Natalia Natalie Natasha Nathan Nathaniel Neil Nelson Nicholas Nick Nicolas Nicole Nigel
Nikolai Nina Noah Noel Nora Norma Norman Octavia Olaf Olga Oliver Olivia Omar Oscar Otto Owen Pablo Pamela Pat
Patricia Patrick Patty Paul Paula Pauline Pedro Peggy Penelope Penny Percy Perry Pete Peter Petra Phil Philip
Phillip Phoebe Phyllis Pierre Priscilla Quentin Rachel Rafael Ralph Ramon Randall Randy Raphael Raul Ray Raymond
Rebecca Regina Reginald Rene Rex Rhoda Ricardo Richard Rick Rita Rob Robert Roberta Roberto Robin Rocco Roderick
Rodney Roger Roland Rolf Roman Ron Ronald Rosa Rosalind Rosemary Ross Roy Rudolf Rudy Rufus Rupert Russell Ruth
Ryan Sabrina Sally Sam Samantha Samuel Sandra Sandy Santiago Sara Sarah Saul Scott Sean Sebastian Selma Serena
Sergei Seth Shane Shannon Sharon Shaun Sheila Shelley Sherman Shirley Sidney Silas Silvia Simon Simone Sofia
Solomon Sonia Sophia Sophie Stan Stanley Stella Stephanie Stephen Steve Steven Stewart Stuart Sue Susan Susanna
Suzanne Sven Sylvia Tamara Tanya Tara Ted Terence Teresa Terry Thelma Theo Theodore Theresa Thomas Tim Timothy
Tina Tobias Toby Todd Tom Tommy Tony Tracy Trevor Tristan Troy Tyler Ulrich Ursula Valentina Valerie Vanessa
Vera Vernon Veronica Victor Victoria Vincent Virginia Vivian Vladimir Wallace Walter Wanda Warren Wayne Wendy
Wesley Wilfred Wilhelm William Willie Wilma Winston Xavier Yolanda Yusuf Yvette Yvonne Zachary Zelda Zoe
"""
COLOURS, NAMES = tuple(_COLOURS.split()), tuple(_NAMES.split())
