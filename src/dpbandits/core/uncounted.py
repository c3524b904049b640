"""Arrays that compiled loops need not count.

numba counts who holds an array, with an atomic instruction at each call that takes it and each
look into a named tuple of arrays: in short functions most of the time. The caller holds it anyway.
"""

from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def uncounted(_, array):
    """The same array, for as long as somebody else holds it."""

    def build(context, builder, signature, args):
        view = context.make_array(array)(context, builder, value=args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), build
