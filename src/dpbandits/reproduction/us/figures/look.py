"""Names of kernels in US's figures."""

KERNEL = {"se": "SE", "matern52": "Matérn 5/2", "matern32": "Matérn 3/2", "cosine": "cosine Mercer"}


def kernel_name(setting: str) -> str:
    kernel, *more = setting.split("-")
    dimension = ", d = 2" if "2d" in more else ", d = 1"
    return KERNEL[kernel] + dimension + (", Beta contexts" if "beta" in more else "")
