"""Adam, by Keras's rule, on one array of parameters."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adam"]


class Adam:
    r"""The optimiser that Keras calls ``"adam"``, at its defaults.

    With :math:`g_t` the gradient at step :math:`t = 1, 2, \dots`:

    .. math::

        m_t &= m_{t-1} + (1 - \beta_1)(g_t - m_{t-1}) \\
        v_t &= v_{t-1} + (1 - \beta_2)(g_t^2 - v_{t-1}) \\
        \theta_t &= \theta_{t-1} -
            \alpha \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m_t}{\sqrt{v_t} + \epsilon}

    Keras adds :math:`\epsilon` to :math:`\sqrt{v_t}` before the bias correction (the paper's
    :math:`\hat\epsilon`), and so does this class.

    Parameters
    ----------
    parameters : ndarray
        The numbers that `step` changes **in place**.
    learning_rate
        The rate :math:`\alpha`.

    Notes
    -----
    Source: Kingma and Ba (2015), section 2, the reordered form.

    Examples
    --------
    The first step is as long as the learning rate, whatever the gradient's size:

    >>> weights = np.array([1.0, 1.0])
    >>> Adam(weights, learning_rate=0.1).step(np.array([5.0, -0.01]))
    >>> weights.round(3)
    array([0.9, 1.1])
    """

    beta_1 = 0.9
    beta_2 = 0.999
    epsilon = 1e-7

    def __init__(self, parameters: NDArray[Any], learning_rate: float = 0.001) -> None:
        self.parameters = parameters
        self.learning_rate = learning_rate
        self.steps = 0
        self._mean = np.zeros_like(parameters)
        self._square = np.zeros_like(parameters)
        self._work = np.empty_like(parameters)

    def step(self, gradient: NDArray[Any]) -> None:
        """Change the parameters by one step down the gradient."""
        self.steps += 1
        mean, square, work = self._mean, self._square, self._work
        np.subtract(gradient, mean, out=work)
        work *= 1 - self.beta_1
        mean += work

        np.square(gradient, out=work)
        work -= square
        work *= 1 - self.beta_2
        square += work

        np.sqrt(square, out=work)
        work += self.epsilon
        np.divide(mean, work, out=work)
        work *= self.corrected_rate()
        self.parameters -= work

    def corrected_rate(self) -> float:
        """Return the learning rate of this step: the means start at 0 and are corrected for it."""
        correction = sqrt(1 - self.beta_2**self.steps) / (1 - self.beta_1**self.steps)
        return self.learning_rate * correction
