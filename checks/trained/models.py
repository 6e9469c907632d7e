"""Real models: where they come from and how they are loaded, without pickles and without remote code.

A GGUF file is converted once into a float32 safetensors folder in the cache; loading that takes about a
second. torch and transformers are imported when a model is loaded, not before.
"""

from __future__ import annotations

import importlib.util
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headproof.checks.files import building, cache_folder, cache_lock
from headproof.checks.trained.sources import ModelSource, find_model
from headproof.checks.trained.weights import folder_weights
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    import torch

__all__ = [
    "Model",
    "ModelSource",
    "ensure_ready",
    "facts_of",
    "find_model",
    "in_memory",
    "load_model",
    "require_device",
]

INSTALL_EXTRA = "pip install 'headproof[models]'"
# The second number of a conversion's name: raised when the way of converting changes.
CONVERSION_FORMAT = 1
DTYPES = ("float32", "float64", "bfloat16", "float16")
# Held while transformers reads and is kept quiet: its verbosity is one setting for all threads.
_READING = threading.RLock()


@dataclass(frozen=True, eq=False)
class Model:
    """A loaded causal language model in evaluation mode, its tokenizer (None for toys) and where it is from.

    `null` is empty for the trained weights and names the null model otherwise (`nulls.py`).
    """

    model: Any
    tokenizer: Any
    source: ModelSource
    null: str = ""

    @property
    def architecture(self) -> str:
        """The name of the model's class, such as LlamaForCausalLM."""
        return type(self.model).__name__

    @property
    def config(self) -> Any:
        """transformers' configuration of the language model."""
        return self.model.config.get_text_config()

    @property
    def layers(self) -> int:
        """Number of layers."""
        return int(self.config.num_hidden_layers)

    @property
    def heads(self) -> int:
        """Number of query heads in a layer."""
        return int(self.config.num_attention_heads)

    @property
    def device(self) -> torch.device:
        """The device that holds the parameters."""
        device: torch.device = next(self.model.parameters()).device
        return device


def facts_of(model: Model) -> dict[str, Any]:
    """What names a model in a record: file, licence and sizes, and the device and precision that it is in."""
    source = model.source
    return {
        "model": {
            "name": source.name,
            "sha256": source.sha256,
            "licence": source.licence,
            "architecture": model.architecture,
            "layers": model.layers,
            "heads": model.heads,
        },
        "device": str(model.device),
        "dtype": str(next(model.model.parameters()).dtype).removeprefix("torch."),
    }


# -- loading ---------------------------------------------------------------------------------------------


def require_device(name: str) -> torch.device:
    """The torch device 'cpu', 'cuda' or 'cuda:1'. Raises InputError for other names and absent devices."""
    _require_extra()
    import torch

    if name == "cpu":
        return torch.device("cpu")
    kind, _, number = name.partition(":")
    if kind != "cuda" or (number and not number.isdecimal()):
        raise InputError(f"unknown device {name!r}", "use cpu, cuda or cuda:0")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(number or 0) >= count:
        raise InputError(f"no device {name!r}: this machine has {count} CUDA devices", "use cpu")
    return torch.device(name)


def load_model(
    source: ModelSource,
    device: str = "cpu",
    dtype: str = "float32",
    message: Callable[[str], None] | None = None,
) -> Model:
    """Load a model for measuring: eager attention, evaluation mode, one of DTYPES, no remote code.

    The first load of a GGUF file converts it into the cache, which takes tens of seconds and is announced
    through `message`; later loads take about a second. Any number of processes may do this at once. Raises
    InputError for an unknown device or dtype, files that cannot be read, weights that are missing, NaN or
    infinite (in that dtype), and architectures whose heads cannot be captured.
    """
    where = require_device(device)
    if dtype not in DTYPES:
        raise InputError(f"unknown dtype {dtype!r}", f"headproof measures in {', '.join(DTYPES)}")
    if source.kind == "memory":
        raise InputError(f"{source.name} was made in memory and stands in no file", "use the Model itself")
    folder = ensure_ready(source, message)
    module = _read_model(folder, source, dtype)
    return Model(module.to(where), _read_tokenizer(folder, source), source)


def ensure_ready(source: ModelSource, message: Callable[[str], None] | None = None) -> Path:
    """The folder from which a model loads within seconds; converts a GGUF file on first use.

    Raises what `load_model` raises for files that cannot be converted.
    """
    _require_extra()
    return _converted(source, message) if source.kind == "gguf" else source.path


def in_memory(module: Any, name: str, tokenizer: Any = None) -> Model:
    """A model made here, such as a trained toy. Raises InputError if its heads cannot be captured."""
    from headproof.checks.trained.rotary import attention_layers

    attention_layers(module)
    return Model(module.eval(), tokenizer, ModelSource(name, "memory", Path(), "", ""))


def _converted(source: ModelSource, message: Callable[[str], None] | None) -> Path:
    """The cache's safetensors folder of a GGUF file, made now if need be."""
    import transformers

    release = "".join(c if c.isalnum() else "_" for c in transformers.__version__)
    name = f"{source.sha256[:16]}-f{CONVERSION_FORMAT}-t{release}"
    folder = cache_folder("models") / name
    if _usable(folder):
        return folder
    with cache_lock(name):
        if _usable(folder):  # another process made it while this one waited
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        if message is not None:
            message(f"converting {source.name} to float32 in {folder}: once, some tens of seconds")
        with building("models", name) as temporary:
            tokenizer = _read_tokenizer(source.path, source, gguf_file=source.file)
            module = _read_model(source.path, source, "float32", gguf_file=source.file)
            # Float weights must not say that they are quantised, or loading looks for the GGUF file again.
            if hasattr(module.config, "quantization_config"):
                del module.config.quantization_config
            module.hf_quantizer = None
            module.is_quantized = False
            with _quiet(), _saving(folder.parent):
                tokenizer.save_pretrained(temporary)
                module.save_pretrained(temporary)
    return folder


def _usable(folder: Path) -> bool:
    """Whether a conversion is there and whole; one that was damaged later is made again."""
    if not folder.is_dir():
        return False
    try:
        folder_weights(folder)
    except InputError:
        return False
    return True


def _read_model(folder: Path, source: ModelSource, dtype: str, gguf_file: str | None = None) -> Any:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from headproof.checks.trained.rotary import attention_layers

    files = {"gguf_file": gguf_file} if gguf_file else {"use_safetensors": True}
    with _quiet(), _reading(source):
        config = AutoConfig.from_pretrained(
            folder, local_files_only=True, **({"gguf_file": gguf_file} if gguf_file else {})
        )
        if type(config) not in AutoModelForCausalLM._model_mapping:
            names = ", ".join(config.architectures or (type(config).__name__,))
            raise InputError(f"{source.name} is a {names}, not a causal language model")
        module, report = AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            attn_implementation="eager",
            dtype=getattr(torch, dtype),
            output_loading_info=True,
            **files,
        )
    if absent := sorted(report["missing_keys"]) + sorted(str(key) for key in report["mismatched_keys"]):
        raise InputError(f"{source.name} lacks {len(absent)} of its weights, such as {absent[0]}", "get it again")
    attention_layers(module)
    for name, values in module.named_parameters():
        # One sum tells, unless the sum itself overflows.
        if not bool(values.sum().isfinite()) and not bool(values.isfinite().all()):
            remedy = "get it again" if values.dtype.itemsize > 2 else "load it in float32, which holds larger numbers"
            raise InputError(f"{source.name} has NaN or infinite weights in {name}", remedy)
    return module.eval()


def _read_tokenizer(folder: Path, source: ModelSource, gguf_file: str | None = None) -> Any:
    from transformers import AutoTokenizer

    with _quiet(), _reading(source):
        return AutoTokenizer.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            **({"gguf_file": gguf_file} if gguf_file else {}),
        )


def _require_extra() -> None:
    for package in ("torch", "transformers", "safetensors", "gguf"):
        if importlib.util.find_spec(package) is None:
            raise InputError(f"real models need the package {package}", INSTALL_EXTRA)


@contextmanager
def _reading(source: ModelSource) -> Iterator[None]:
    """What the libraries say of a model that they cannot read, in one line and with the model's name."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # tokenizers and safetensors raise errors that are nothing more special
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"cannot load {source.name} from {source.path / source.file}: {reason}") from error


@contextmanager
def _saving(folder: Path) -> Iterator[None]:
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:  # its errors of the file system are no OSError
        raise InputError(f"cannot write to the cache {folder}: {error}", "is there space left?") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' progress bars and notes off the terminal for the block's time."""
    from transformers import modeling_gguf_pytorch_utils as gguf_utils
    from transformers.utils import logging

    with _READING:
        verbosity, bars, bar = logging.get_verbosity(), logging.is_progress_bar_enabled(), gguf_utils.tqdm
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        gguf_utils.tqdm = partial(bar, disable=True)
        try:
            with warnings.catch_warnings():
                # Dequantising garbage overflows; the check for NaN and infinite weights speaks of it.
                warnings.simplefilter("ignore", RuntimeWarning)
                yield
        finally:
            logging.set_verbosity(verbosity)
            gguf_utils.tqdm = bar
            if bars:
                logging.enable_progress_bar()
