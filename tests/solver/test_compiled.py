"""Compiled code that is cached is used only as long as no kernel has changed."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from harness.programs import run

PROGRAM = """\
import sys
from pathlib import Path
from keypeg.solver.codes import compiled
compiled.SOLVER = Path(sys.argv[1])
compiled.sources.cache_clear()
import kernels
kernels.double(1)
print(*kernels.double.stats.cache_hits.values())
"""
KERNELS = """\
from keypeg.solver.codes.compiled import kernel

@kernel
def double(number):
    return 2 * number
"""


def hits(folder: Path) -> int:
    """How often the kernel in `folder` was found in the cache by a new process."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1])\n{PROGRAM}"]
    done = run([*command, folder])
    assert done.returncode == 0, done.stderr
    return sum(map(int, done.stdout.split()))


def test_a_kernel_is_compiled_again_when_another_file_with_kernels_has_changed(
    tmp_path: Path,
) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    assert [hits(tmp_path), hits(tmp_path)] == [0, 1]
    (tmp_path / "others.py").write_text(KERNELS)
    assert hits(tmp_path) == 0
    (tmp_path / "no_kernels.py").write_text("")
    assert hits(tmp_path) == 1


def test_what_was_cached_with_a_type_of_another_name_does_no_harm(tmp_path: Path) -> None:
    """As after an upgrade in which a module was renamed."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    hits(tmp_path)
    (index,) = tmp_path.rglob("*.nbi")
    with index.open("rb") as file:
        version = pickle.load(file)
    gone = b"cno_such_module\nNoSuchType\n."  # a pickle that asks for it
    index.write_bytes(pickle.dumps(version.split()[0]) + gone)
    assert [hits(tmp_path), hits(tmp_path)] == [0, 1]
