"""Interactive figures: live widgets in Jupyter, and the same on a page without any server.

Python draws the first frame and a module in plain JavaScript moves it. Importing this needs
traitlets; without anywidget an explorer shows its first frame and stands still.
"""

from .alignment import Alignment
from .column_three import ColumnThree
from .scale import Scale
from .score_matrix import ScoreMatrix
from .similarity import Similarity
from .soft_lookup import SoftLookup

__all__ = ["Alignment", "ColumnThree", "Scale", "ScoreMatrix", "Similarity", "SoftLookup"]
