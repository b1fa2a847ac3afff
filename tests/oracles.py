"""Slow second implementations, written from the equations of Goix (2016), and closed forms."""

from itertools import pairwise

import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2


def slow_pairs(data_scores, reference_scores, weights):
    """All (mass, volume) pairs at data thresholds, by counting."""
    pairs = []
    for threshold in sorted(set(data_scores), reverse=True):
        mass = sum(score >= threshold for score in data_scores) / len(data_scores)
        inside = [w for s, w in zip(reference_scores, weights, strict=True) if s >= threshold]
        pairs.append((mass, sum(inside)))
    return pairs


def slow_mass_volume(pairs, mass):
    """Equation 3: the smallest volume of a level set with at least this mass."""
    return min(volume for pair_mass, volume in pairs if pair_mass >= mass)


def slow_excess_mass(pairs, t):
    """Equation 4, with the empty set: the largest mass less t times volume."""
    return max([0.0, *(mass - t * volume for mass, volume in pairs)])


def slow_mass_volume_area(pairs, lower, upper):
    """Area under a step function: a rectangle between every two masses at which it can step."""
    cuts = sorted({lower, upper, *(mass for mass, _ in pairs if lower < mass < upper)})
    return sum((right - left) * slow_mass_volume(pairs, right) for left, right in pairwise(cuts))


def slow_excess_mass_area(pairs, floor):
    """Area under the envelope: trapezoids between all crossings of all lines, up to `floor`."""
    if max((mass for mass, volume in pairs if volume == 0), default=0.0) >= floor:
        return None
    crossings = {0.0}
    for first_mass, first_volume in [(0.0, 0.0), *pairs]:
        for second_mass, second_volume in [(0.0, 0.0), *pairs]:
            if second_volume > first_volume:
                crossings.add((second_mass - first_mass) / (second_volume - first_volume))
    crossings |= {(mass - floor) / volume for mass, volume in pairs if volume > 0 and mass > floor}
    end = min(t for t in crossings if t >= 0 and slow_excess_mass(pairs, t) <= floor + 1e-13)
    cuts = sorted(t for t in crossings if 0 <= t <= end)
    return sum(
        (right - left) * (slow_excess_mass(pairs, left) + slow_excess_mass(pairs, right)) / 2
        for left, right in pairwise(cuts)
    )


def gaussian_curve(d, n_cuts=200_001):
    """Masses, volumes and density levels of a standard Gaussian scored by its own density."""
    squared = np.linspace(0.0, chi2.ppf(1 - 1e-12, d), n_cuts)
    mass = chi2.cdf(squared, d)
    log_ball = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    volume = np.exp(log_ball) * squared ** (d / 2)
    level = (2 * np.pi) ** (-d / 2) * np.exp(-squared / 2)
    return mass, volume, level


def gaussian_truth(d, lower=0.9, upper=0.999, floor=0.9):
    """EM and MV criteria of a standard Gaussian scored by its own density, by quadrature."""
    cuts = np.linspace(lower, upper, 200_001)
    radius = chi2.ppf(cuts, d)
    ball = np.exp(d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)) * radius ** (d / 2)
    mass_volume = ((ball[1:] + ball[:-1]) / 2 * np.diff(cuts)).sum()
    mass, volume, level = gaussian_curve(d)
    excess = mass - level * volume
    within = excess >= floor
    t, em = level[within][::-1], excess[within][::-1]
    t, em = np.insert(t, 0, 0.0), np.insert(em, 0, 1.0)
    return ((em[1:] + em[:-1]) / 2 * np.diff(t)).sum(), mass_volume
