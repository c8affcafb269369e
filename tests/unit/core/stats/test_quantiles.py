"""Distribution functions, and that scipy is not paid for before it is needed."""

import subprocess
import sys

import pytest
from scipy import stats

from gatebot.core.stats.quantiles import beta_quantile, normal_quantile, normal_tail, t_cdf, t_quantile


@pytest.mark.parametrize("p", [1e-9, 0.0032, 0.05, 0.5, 0.95, 0.9936])
def test_quantiles_are_scipys(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(stats.norm.ppf(p)), rel=1e-12, abs=1e-15)
    assert t_quantile(p, 3.7) == pytest.approx(float(stats.t.ppf(p, 3.7)), rel=1e-8, abs=1e-12)
    assert beta_quantile(p, 4, 2.5) == pytest.approx(float(stats.beta.ppf(p, 4, 2.5)), rel=1e-10)


def test_tails_undo_quantiles_far_out() -> None:
    assert normal_tail(-normal_quantile(1e-12)) == pytest.approx(1e-12, rel=1e-9)
    assert t_cdf(t_quantile(0.01, 5.5), 5.5) == pytest.approx(0.01)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1])
def test_no_quantile_at_the_ends(p: float) -> None:
    with pytest.raises(ValueError, match="strictly between"):
        normal_quantile(p)


def test_scipy_is_not_imported_by_importing_the_tests_of_a_gate() -> None:
    modules = ("exact", "permutation", "interval", "single_case", "sequential", "power", "targets")
    imports = "; ".join(f"import gatebot.core.stats.{name}" for name in modules)
    check = f"import sys; {imports}; sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
