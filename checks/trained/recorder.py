"""Recording one forward pass: what rotary functions and attention are given, layer by layer (`watching.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from headproof.checks.trained.conform import HALF, Attended, CapturedLayer, conforming
from headproof.checks.trained.masks import UnreadMaskError, read_mask
from headproof.checks.trained.places import Place, find_place, same_rotation, similar_place
from headproof.checks.trained.reversal import Call, Received, back, depends_on_position, still
from headproof.checks.trained.rotary import (
    CHOOSE,
    EAGER,
    Rotated,
    angle_rows,
    in_output_order,
    namespace_of,
    output_order,
    rotation,
)
from headproof.theory.errors import InputError


@dataclass(frozen=True, eq=False)
class Seen:
    """One call of a model's eager attention function: what it was given, and the weights that it returned."""

    module: Any
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    given: dict[str, Any]
    weights: Tensor | None

    def again(self, rows: Tensor) -> Tensor:
        """The weights of some query rows in float32, by the model's own eager function: `(heads, rows, T)`."""
        query, key, value = self.query.index_select(2, rows).float(), self.key.float(), self.value.float()
        mask = None if self.mask is None else self.mask.index_select(2, rows).float()
        weights: Tensor = namespace_of(self.module)[EAGER](self.module, query, key, value, mask, **self.given)[1]
        return weights[0]


@dataclass(eq=False)
class Recorder:
    """What one pass has shown so far; `rows` numbers the query rows whose weights are compared, None for all.

    `pending` are rotary calls that no attention has used yet, `call` is the attention module that runs, and
    `unproven` are those whose queries and keys may depend on the position; `samples` hold a rotating one of each kind.
    """

    architecture: str
    length: int
    rows: Tensor | None = None
    pending: list[Rotated] = field(default_factory=list)
    call: Call | None = None
    unproven: dict[int, Call] = field(default_factory=dict)
    samples: dict[tuple[type, bool], tuple[int, Call]] = field(default_factory=dict)
    repeating: bool = False
    layers: dict[int, CapturedLayer] = field(default_factory=dict)
    masks: dict[tuple[Any, ...], tuple[Tensor, Tensor]] = field(default_factory=dict)
    orders: dict[tuple[Any, ...], Tensor | None] = field(default_factory=dict)

    def refusal(self, index: int, problem: str, remedy: str = CHOOSE) -> InputError:
        """The error that names the architecture and the layer that is not understood."""
        return InputError(f"{self.architecture} is not supported: layer {index} {problem}", remedy)

    def attend(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, given: dict[str, Any]
    ) -> tuple[Tensor, Tensor | None]:
        """The model's own eager attention, and a look at what went through it. Raises what `attention` raises."""
        if self.repeating:
            raise Received(query, key)
        output, weights = namespace_of(module)[EAGER](module, query, key, value, mask, **given)
        self.attention(Seen(module, query, key, value, mask, given, weights))
        return output, weights

    def mask(self, eager: Callable[..., Any], given: dict[str, Any]) -> Tensor | None:
        """The mask of eager attention."""
        made: Tensor | None = eager(**given)
        return made

    def attention(self, seen: Seen) -> None:
        """Record one layer's attention, and compare it with the model's own weights."""
        index, pending, self.pending = seen.module.layer_idx, self.pending, []
        query, key, given = seen.query, seen.key, seen.given
        if index in self.layers:
            raise self.refusal(index, "attends more than once in a pass")
        if given.get("s_aux") is not None:
            raise self.refusal(index, "has attention sinks as extra logits")
        scaling = given.get("scaling", getattr(seen.module, "scaling", None))
        if seen.weights is None or scaling is None:
            raise self.refusal(index, "does not tell its attention weights or its scaling")
        if key.shape[::2] != query.shape[::2] or seen.weights.shape != (1, query.shape[1], self.length, self.length):
            raise self.refusal(index, f"attends with {tuple(query.shape)} queries to {tuple(key.shape)} keys")
        if query.shape[1] % key.shape[1]:
            raise self.refusal(index, f"has {query.shape[1]} query heads for {key.shape[1]} key heads")
        exact, parts = self.turned(index, query, key, pending) if pending else self.not_turned(query, key)
        layer = CapturedLayer(
            index=index,
            architecture=self.architecture,
            **parts,
            scaling=float(scaling),
            visible=self.visible(index, seen.mask),
            window=given.get("sliding_window"),
            softcap=given.get("softcap"),
        )
        if not exact:
            layer = self.turned_back(layer, seen.module)
        elif self.call is not None and self.call.module is seen.module and query.dtype not in HALF:
            # One layer of each kind: what a layer makes of positions besides rotating stands in its module's code.
            # Half precision rounds each position's rotation otherwise, which cannot be told from a small dependence.
            self.samples.setdefault((type(seen.module), layer.window is None), (index, self.call))
        attended = Attended(query[0], key[0], seen.weights[0], seen.again)
        self.layers[index] = conforming(layer, attended, self.rows)

    def turned(self, index: int, query: Tensor, key: Tensor, pending: Sequence[Rotated]) -> tuple[bool, dict[str, Any]]:
        """Whether attention received what the layer's rotary function returned, and its queries, keys and rotation.

        If it received something made of that, queries and keys are those received.
        """
        of_query, of_key = self.places(index, query, key, pending)
        cos, axis = angle_rows(of_query.rotated.cos, self.length)
        sin, _ = angle_rows(of_query.rotated.sin, self.length)
        rotate = rotation(of_query, axis)
        way = (of_query.rotated.function, of_query.heads_axis, of_query.stop - of_query.start, cos.shape[-1])
        if way not in self.orders:  # the layers of one model mostly share one way
            self.orders[way] = output_order(rotate, *way[2:], query.device)
        order = self.orders[way]
        return of_query.exact, {
            "queries": of_query.unrotated(query, order) if of_query.exact else query[0],
            "keys": of_key.unrotated(key, order) if of_query.exact else key[0],
            "cos": cos,
            "sin": sin,
            "rotary": slice(of_query.start, of_query.stop),
            "rotate": rotate if order is None else in_output_order(rotate, order),
        }

    def not_turned(self, query: Tensor, key: Tensor) -> tuple[bool, dict[str, Any]]:
        """The same of a layer in which no rotary function was seen: nothing shows that it has none."""
        nothing = query.new_zeros(self.length, 0)
        parts = {"queries": query[0], "keys": key[0], "cos": nothing, "sin": nothing}
        return False, {**parts, "rotary": slice(0, 0), "rotate": still}

    def turned_back(self, layer: CapturedLayer, module: Any) -> CapturedLayer:
        """The layer with what it received turned back from its positions; `require_proven` must believe it."""
        if self.call is None or self.call.module is not module:
            raise self.refusal(layer.index, "attends outside the call of its attention module")
        self.unproven[layer.index] = self.call
        queries, keys = (back(layer, vectors).to(vectors.dtype) for vectors in (layer.queries, layer.keys))
        return replace(layer, queries=queries, keys=keys)

    def require_proven(self) -> None:
        """Run each layer that is not proven, and one rotating layer of each kind, on reversed tokens after the pass.

        Raises InputError, naming architecture and layer, where queries and keys depend on the position.
        """
        self.repeating = True
        for index, call in self.samples.values():
            try:
                depends = depends_on_position(call, self.layers[index], exact=True)
            except Exception:  # what cannot be run again is not shown to depend on positions
                depends = None
            self.pending = []
            if depends:
                raise self.refusal(index, "makes queries or keys of positions or other tokens besides rotating them")
        for index, call in self.unproven.items():
            layer = self.layers[index]
            try:
                depends = depends_on_position(call, layer)
            except Exception as error:  # a model's code may raise anything when its tokens change places
                raise self.refusal(index, f"cannot attend again ({type(error).__name__})") from error
            if depends is None:
                raise self.refusal(index, "cannot attend again")
            if depends or bool(self.pending) != layer.rotates:
                # By angles in half precision a rotation changes norms a little, and does not go with them.
                remedy = "load it in float32" if layer.rotates and layer.keys.dtype in HALF else CHOOSE
                raise self.refusal(index, "turns queries and keys in an unknown way", remedy)
            self.pending = []

    def places(self, index: int, query: Tensor, key: Tensor, pending: Sequence[Rotated]) -> tuple[Place, Place]:
        """Where the two rotated tensors stand in the query and the key that attention received."""
        if len(pending) != 2:
            raise self.refusal(index, f"rotates {len(pending)} tensors for one attention")
        of_query = find_place(query, pending)
        of_key = find_place(key, [one for one in pending if of_query is None or one is not of_query.rotated])
        if of_query is None and of_key is None:
            of_query, of_key = similar_place(query, pending[0]), similar_place(key, pending[1])
        if of_query is None or of_key is None:
            raise self.refusal(index, "does not attend to what its rotary function returned")
        if not same_rotation(of_query, of_key):
            raise self.refusal(index, "rotates queries and keys differently")
        return of_query, of_key

    def visible(self, index: int, mask: Tensor | None) -> Tensor:
        """Which keys each query sees, `(T, T)`; layers with one mask share one answer."""
        if mask is None:
            raise self.refusal(index, "attends without a causal mask")
        place = (mask.data_ptr(), mask.shape, mask.stride(), mask.dtype)
        if place not in self.masks:
            try:
                self.masks[place] = (mask, read_mask(mask, self.length))  # the mask is kept, and so is its place
            except UnreadMaskError as problem:
                raise self.refusal(index, str(problem)) from problem
        return self.masks[place][1]
