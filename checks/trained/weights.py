"""Files of weights, judged by their headers before any of them is loaded: GGUF files and safetensors folders.

Nothing here needs torch or transformers. What can run code (pickles, remote code in a config) is refused, and
so is what is cut short: a header says how long its file must be.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from headproof.theory.errors import InputError

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
ONE_FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model", "vocab.txt")
AGAIN = "download or copy it again"
ITEM_BITS = {
    "F4": 4,
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
}
ITEM_BITS |= {"F32": 32, "F64": 64, "I64": 64, "U64": 64, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "C64": 64}

# GGUF value types (ggml's docs/gguf.md): the fixed-size ones by struct code; 8 is a string, 9 an array.
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


class _Short(Exception):
    """The file ended inside its header."""


@dataclass(frozen=True)
class GGUFHeader:
    """What a GGUF file says of itself: its metadata (arrays as their lengths) and its size in bytes."""

    metadata: dict[str, Any]
    size: int


def refuse_pickle(path: Path) -> None:
    """Raise InputError for a file whose suffix says that it is a pickle: loading one runs the code in it."""
    if path.suffix.lower() in PICKLES:
        raise InputError(
            f"{path} is a pickle, which can run code when it is loaded", "convert it to safetensors or GGUF"
        )


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises InputError naming the file if it is not one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}", AGAIN) from error
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no JSON object", AGAIN)
    return content


# -- safetensors folders ---------------------------------------------------------------------------------


def folder_weights(folder: Path) -> tuple[Path, ...]:
    """The safetensors files of a model's folder, checked as far as headers go; the first names the weights.

    Raises InputError for a folder without config.json, safetensors or a tokenizer; with remote code or
    quantised weights; and for a file that is missing or truncated.
    """
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} has no config.json", "name a folder that transformers' save_pretrained made")
    _check_config(folder)
    if (folder / ONE_FILE).is_file():
        files: tuple[Path, ...] = (folder / ONE_FILE,)
    elif (folder / INDEX).is_file():
        shards = read_json(folder / INDEX).get("weight_map", {})
        files = (folder / INDEX, *(folder / name for name in sorted(set(shards.values()))))
    else:
        for path in sorted(folder.iterdir()):
            refuse_pickle(path)
        raise InputError(f"{folder} has no {ONE_FILE}", "save the model with save_pretrained")
    for file in files:
        if not file.is_file():
            raise InputError(f"{folder} lacks {file.name}, which its index names", AGAIN)
        if file.suffix == ".safetensors":
            check_safetensors(file)
    if not any((folder / name).is_file() for name in TOKENIZERS):
        raise InputError(f"{folder} has no tokenizer", "save the tokenizer into it with save_pretrained")
    return files


def check_safetensors(path: Path) -> None:
    """Raise InputError unless a safetensors file's header can be read and its data are all there."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", _take(file, 8))
            header = json.loads(_take(file, length)) if length <= size else None
    except _Short:
        header = None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not a safetensors file, or is corrupt: {error}", AGAIN) from error
    if header is None:
        raise InputError(f"{path} is truncated or corrupt: it ends inside its header", AGAIN)
    try:
        spans = {name: _span(entry) for name, entry in header.items() if name != "__metadata__"}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is corrupt: its header does not describe tensors ({error})", AGAIN) from error
    for name, (begin, end, bits) in spans.items():
        if bits is not None and (end - begin) * 8 != bits:
            raise InputError(f"{path} is corrupt: tensor {name} has {end - begin} bytes, its shape {bits // 8}", AGAIN)
    needed = 8 + length + max((end for _, end, _ in spans.values()), default=0)
    if size < needed:
        raise InputError(f"{path} is truncated: {size} bytes of {needed}", AGAIN)


def _span(entry: dict[str, Any]) -> tuple[int, int, int | None]:
    begin, end = (int(offset) for offset in entry["data_offsets"])
    bits = ITEM_BITS.get(entry["dtype"])
    return begin, end, None if bits is None else bits * math.prod(int(length) for length in entry["shape"])


def _check_config(folder: Path) -> None:
    config = read_json(folder / "config.json")
    tokenizer = folder / "tokenizer_config.json"
    for path, content in (
        (folder / "config.json", config),
        (tokenizer, read_json(tokenizer) if tokenizer.is_file() else {}),
    ):
        if content.get("auto_map"):
            raise InputError(
                f"{path} asks for code of its own (auto_map), which headproof does not run",
                "use a model that transformers knows",
            )
    if method := (config.get("quantization_config") or {}).get("quant_method"):
        raise InputError(f"{folder} holds weights quantised by {method}", "name the unquantised model")


# -- GGUF ------------------------------------------------------------------------------------------------


def gguf_header(path: Path) -> GGUFHeader:
    """The header of a GGUF file, in about 0.1 s. Source: ggml, docs/gguf.md, versions 2 and 3.

    Raises InputError for a file that is no GGUF, is truncated or corrupt, or holds no tokenizer.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise InputError(f"{path} is not a GGUF file", "name a .gguf file")
            header = _read_gguf(file, size)
    except InputError:
        raise
    except _Short as error:
        raise InputError(f"{path} is truncated or corrupt: it ends inside its header", AGAIN) from error
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise InputError(f"{path} is corrupt: {error}", AGAIN) from error
    if size < header.size:
        raise InputError(f"{path} is truncated: {size} bytes of {header.size}", AGAIN)
    if not header.metadata.get("tokenizer.ggml.tokens"):
        raise InputError(f"{path} has no tokenizer", "use a GGUF file that was made with one")
    return header


def _read_gguf(file: BinaryIO, size: int) -> GGUFHeader:
    (version,) = _numbers(file, "I")
    if version not in (2, 3):
        raise ValueError(f"GGUF version {version} is neither 2 nor 3")
    tensors, pairs = _numbers(file, "QQ")
    # Each pair and each tensor takes at least 12 bytes, so a corrupt count cannot send the loops below away.
    if 12 * (tensors + pairs) > size:
        raise _Short
    metadata = {}
    for _ in range(pairs):
        key = _string(file)
        metadata[key] = _value(file, _numbers(file, "I")[0], size)
    end = 0
    for _ in range(tensors):
        _string(file)
        (dimensions,) = _numbers(file, "I")
        shape = _numbers(file, f"{min(dimensions, 8)}Q")
        kind, offset = _numbers(file, "IQ")
        end = max(end, offset + _tensor_bytes(kind, math.prod(shape)))
    alignment = int(metadata.get("general.alignment", 32))
    return GGUFHeader(metadata, -(-file.tell() // alignment) * alignment + end)


def _tensor_bytes(kind: int, entries: int) -> int:
    """Bytes of a tensor: ggml's types store blocks of entries."""
    try:
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
    except ImportError as error:
        raise InputError("reading GGUF files needs the package gguf", "pip install 'headproof[models]'") from error
    block, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    return -(-entries // int(block)) * int(block_bytes)


def _value(file: BinaryIO, kind: int, size: int) -> Any:
    if kind in SCALARS:
        return _numbers(file, SCALARS[kind])[0]
    if kind == STRING:
        return _string(file)
    if kind != ARRAY:
        raise ValueError(f"metadata of unknown type {kind}")
    item, count = _numbers(file, "IQ")
    if item in SCALARS:
        _skip(file, count * struct.calcsize(f"<{SCALARS[item]}"), size)
    else:
        if 8 * count > size:
            raise _Short
        for _ in range(count):
            _skip(file, _numbers(file, "Q")[0], size) if item == STRING else _value(file, item, size)
    return count


def _numbers(file: BinaryIO, codes: str) -> tuple[Any, ...]:
    return struct.unpack(f"<{codes}", _take(file, struct.calcsize(f"<{codes}")))


def _string(file: BinaryIO) -> str:
    (length,) = _numbers(file, "Q")
    if length > 1 << 24:
        raise ValueError(f"a string of {length} bytes in the header")
    return _take(file, length).decode("utf-8", errors="replace")


def _take(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise _Short
    return data


def _skip(file: BinaryIO, length: int, size: int) -> None:
    if file.tell() + length > size:
        raise _Short
    file.seek(length, 1)
