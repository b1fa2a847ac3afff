"""Model files that somebody made to do harm."""

import io
import json
import zipfile

import numpy as np
import skops.io
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity

ROWS = np.random.default_rng(0).normal(size=(200, 2))


def reaching_globals(declared: str) -> bytes:
    """Return a file that asks for the globals of a module, under the name of a trusted type."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(IsolationForest()))) as archive:
        schema = json.loads(archive.read("schema.json"))
    module, _, name = declared.rpartition(".")
    head = {key: schema.pop(key) for key in ("protocol", "_skops_version")}
    for number, attribute in enumerate(("__init__", "__globals__")):
        schema = {
            "__class__": name,
            "__module__": module,
            "__loader__": "MethodNode",
            "__id__": number,
            "content": {"obj": schema, "func": attribute},
        }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema | head))
    return buffer.getvalue()


def forest_with(change) -> bytes:
    """Return a fitted forest, after something was done to the nodes of its first tree."""
    forest = IsolationForest(n_estimators=3, random_state=0).fit(ROWS)
    tree = forest.estimators_[0].tree_
    state = tree.__getstate__()
    nodes = state["nodes"].copy()
    change(nodes, state)
    state["nodes"] = nodes
    tree.__setstate__(state)
    forest.feature_names_in_ = np.array(["a", "b"], dtype=object)
    return skops.io.dumps(forest)


def far_child(nodes, state):
    nodes["left_child"][0] = 2**40


def near_child(nodes, state):
    nodes["right_child"][0] = len(nodes)


def endless_path(nodes, state):
    nodes["left_child"][0] = nodes["right_child"][0] = 0


def negative_child(nodes, state):
    nodes["left_child"][0] = -7


def far_feature(nodes, state):
    nodes["feature"][0] = 2**40


def negative_feature(nodes, state):
    nodes["feature"][0] = -(2**40)


def leaf_with_a_child(nodes, state):
    leaf = int(np.flatnonzero(nodes["left_child"] == -1)[0])
    nodes["right_child"][leaf] = 2**40


BROKEN_TREES = (
    far_child,
    near_child,
    endless_path,
    negative_child,
    far_feature,
    negative_feature,
    leaf_with_a_child,
)


def density_with_far_rows() -> bytes:
    """Return a kernel density whose neighbour tree points at rows that are not there."""
    density = KernelDensity().fit(ROWS)
    state = list(density.tree_.__getstate__())
    state[1] = np.asarray(state[1]).copy()
    state[1][:] = 2**40
    density.tree_.__setstate__(tuple(state))
    density.feature_names_in_ = np.array(["a", "b"], dtype=object)
    return skops.io.dumps(density)


def forest_with_more_nodes_than_it_holds() -> bytes:
    """Return a file whose trees say that they are larger than what was written."""
    buffer, sound = io.BytesIO(), forest_with(lambda nodes, state: None)
    with (
        zipfile.ZipFile(io.BytesIO(sound)) as archive,
        zipfile.ZipFile(buffer, "w") as changed,
    ):
        for name in archive.namelist():
            content = archive.read(name)
            if name == "schema.json":
                content = json.dumps(_enlarged(json.loads(content))).encode()
            changed.writestr(name, content)
    return buffer.getvalue()


def _enlarged(node):
    if isinstance(node, list):
        return [_enlarged(each) for each in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _enlarged(each) for key, each in node.items()}
    if "node_count" in changed:
        changed["node_count"] = {**changed["node_count"], "content": str(2**40), "__id__": None}
    return changed
