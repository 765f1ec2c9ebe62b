"""The figures of the course: arrays in, Matplotlib axes out.

Names and numbers come from the caller, so a translated chapter translates its figures too.
Importing this loads Matplotlib.
"""

from .alignment import alignment
from .bars import bars
from .curves import answers, lines, weights_by_temperature
from .diagram import formula_diagram, table_in_blocks, transformer_blocks
from .heatmap import heatmap, heatmaps
from .histograms import histograms
from .matrices import matrix_products
from .network import two_key_network
from .plane import arrows, blend_path, plane, projection, tip_to_tail
from .spreads import against, intervals
from .style import new_axes, new_row, use_course_style

__all__ = [
    "against",
    "alignment",
    "answers",
    "arrows",
    "bars",
    "blend_path",
    "formula_diagram",
    "heatmap",
    "heatmaps",
    "histograms",
    "intervals",
    "lines",
    "matrix_products",
    "new_axes",
    "new_row",
    "plane",
    "projection",
    "table_in_blocks",
    "tip_to_tail",
    "transformer_blocks",
    "two_key_network",
    "use_course_style",
    "weights_by_temperature",
]
