"""Changes to the weights that change no answer."""

from __future__ import annotations

import numpy as np

from .data import COLUMNS
from .model import SWAPPED
from .parameters import Parameters
from .readouts import mean_weight
from .variants import Variant

__all__ = ["same_answers", "without_swap"]


def without_swap(parameters: Parameters) -> Parameters:
    r"""Return the same networks for a model that does not swap key 2's columns.

    Swapping the input of a Dense layer is the same as swapping the rows of its kernel: with the
    permutation :math:`P`, :math:`W^\top (P q) = (P^\top W)^\top q`.

    Parameters
    ----------
    parameters
        Of a variant with ``swap=True`` and a Dense second key.

    Returns
    -------
    networks : Parameters
        For the same variant with ``swap=False``. Rows 0 and 3 of key 2's kernel have changed
        places, nothing else; called again, it undoes itself.

    Raises
    ------
    ValueError
        If there is no Dense second key.

    Examples
    --------
    >>> from softlookup.column_three import Variant, draw, initialise
    >>> from softlookup.column_three.readouts import evaluate
    >>> networks, data = initialise([0, 1]), draw([0, 1])
    >>> with_it = evaluate(Variant(), networks, data)
    >>> without = evaluate(Variant(swap=False), without_swap(networks), data)
    >>> bool(abs(with_it[0] - without[0]).max() < 1e-6)
    True
    """
    if "key_2" not in parameters:
        raise ValueError("parameters: needed networks with a Dense second key.")
    renamed = parameters.copy()
    renamed.kernel("key_2")[...] = parameters.kernel("key_2")[:, SWAPPED]
    return renamed


def same_answers(
    parameters: Parameters, column: int, *, variant: Variant | None = None, margin: float = 1.5
) -> Parameters:
    r"""Return networks that answer alike, but whose largest mean \|weight\| is at ``column``.

    The output sees the hidden layer only through :math:`u = W w`. Take any :math:`v` with
    :math:`v^\top w = 0` and add :math:`t v` to one row of :math:`W`: the answers stay, whatever
    :math:`t` is, and that row's weights grow as large as one likes. Here :math:`t` is chosen so
    that the row's mean \|weight\| is at least ``margin`` times the largest of the others.

    Parameters
    ----------
    parameters
        Networks with a linear hidden layer of at least two units.
    column
        Which column is to look the most important.
    variant
        What the networks are made of, so that a ReLU can be refused.
    margin
        How many times the largest other, at least.

    Returns
    -------
    networks : Parameters
        The same answers, up to rounding.

    Raises
    ------
    ValueError
        Without such a hidden layer, for a column that does not exist, or a margin of 1 or less.

    Examples
    --------
    >>> from softlookup.column_three import train
    >>> networks = train([0, 1]).after(20)
    >>> mean_weight(same_answers(networks, column=4)).argmax(axis=1).tolist()
    [4, 4]
    """
    if "hidden" not in parameters or parameters.kernel("hidden").shape[2] < 2:
        raise ValueError("parameters: needed networks with a hidden layer of two units or more.")
    if variant is not None and variant.activation != "linear":
        raise ValueError("variant: needed a linear hidden layer, got a ReLU.")
    if not 0 <= column < COLUMNS:
        raise ValueError(f"column: needed 0 to {COLUMNS - 1}, got {column}.")
    if not margin > 1:
        raise ValueError(f"margin: needed more than 1, got {margin}.")
    twins = parameters.copy()
    rows = twins.kernel("hidden")[:, column].astype(np.float64)
    output = twins.kernel("output")[:, :, 0].astype(np.float64)
    # Alternating signs, less their part along w: never 0 unless w itself alternates.
    direction = np.resize([1.0, -1.0], output.shape)
    along = (direction * output).sum(axis=1) / (output * output).sum(axis=1)
    direction -= along[:, None] * output
    others = np.delete(mean_weight(parameters), column, axis=1).max(axis=1).astype(np.float64)
    wanted = margin * others
    # |row + t v| grows without bound in t and is at least t|v| - |row|, so this t is enough.
    size, now = np.abs(direction).mean(axis=1), np.abs(rows).mean(axis=1)
    rows += ((wanted + now) / size)[:, None] * direction
    twins.kernel("hidden")[:, column] = rows
    return twins
