"""Models named by a hub id such as `owner/name`. Tried only for names that are no path, and never needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from headproof.theory.errors import InputError

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
# Weights as safetensors, and what describes them; never pickles or Python files.
WANTED = ("*.safetensors", "*.json", "tokenizer.model", "spiece.model", "*.txt")
SECONDS_TO_ANSWER = 10.0


def snapshot(name: str) -> tuple[Path, str | None]:
    """(folder, licence) of a model on the hub, from the hub client's own cache or downloaded into it.

    Raises InputError if there is no such model, it needs a login, it has no safetensors, or the hub cannot be
    reached and the cache does not hold the model.
    """
    try:
        import huggingface_hub as hub
    except ImportError as error:
        raise InputError(
            f"{name} is no file or folder here, and the hub client is not installed",
            "pip install 'headproof[models]'",
        ) from error
    try:
        return Path(hub.snapshot_download(name, local_files_only=True, allow_patterns=list(WANTED))), None
    except Exception:
        pass  # not in the client's cache, in one of several ways; the hub itself says more
    try:
        about = hub.HfApi().model_info(name, timeout=SECONDS_TO_ANSWER)
    except hub.errors.RepositoryNotFoundError as error:  # a gated model's error too is one of these
        raise InputError(
            f"{name} is no file or folder here, and the hub has no such model that you may read",
            "check the name, or log in with `hf auth login`",
        ) from error
    except Exception as error:  # every network layer raises its own
        raise InputError(
            f"{name} is no file or folder here, and the hub cannot be reached ({type(error).__name__})",
            "name a GGUF file or a safetensors folder, or leave the model out for the default one",
        ) from error
    if not any(file.rfilename.endswith(".safetensors") for file in about.siblings or ()):
        raise InputError(f"{name} has no safetensors on the hub", "choose a model that has")
    try:
        folder = hub.snapshot_download(name, revision=about.sha, allow_patterns=list(WANTED))
    except Exception as error:  # as above
        raise InputError(f"downloading {name} failed: {error}", "try again") from error
    return Path(folder), _licence(about)


def _licence(about: Any) -> str | None:
    card = about.card_data
    return str(card.license) if card is not None and card.license else None
