"""Write the two tables that *Start here* uses: `python docs/_extensions/payments.py`."""

from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[1]


def payments(n: int, seed: int) -> dict[str, np.ndarray]:
    """Payments whose amount and weight follow the number of items."""
    random = np.random.default_rng(seed)
    items = random.integers(1, 40, n)
    country = random.choice(["DE", "FR", "IT"], n, p=[0.6, 0.3, 0.1])
    price = random.normal(18.0, 2.0, n) * np.where(country == "DE", 1.0, 1.3)
    return {
        "payment": np.arange(10_001, 10_001 + n),
        "amount": items * price + 5.0,
        "items": items,
        "weight": items * random.normal(0.8, 0.08, n) + 0.2,
        "hour": np.clip(random.normal(14.0, 3.0, n), 6.0, 22.0),
        "country": country,
    }


def write(columns: dict[str, np.ndarray], path: Path) -> None:
    """Write the columns as CSV, numbers with two digits."""
    rows = [",".join(columns)]
    for cells in zip(*columns.values(), strict=True):
        rows.append(",".join(f"{c:.2f}" if isinstance(c, float) else str(c) for c in cells))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    history = payments(900, 7)
    history["amount"][100] = 4999.0  # far from everything
    history["hour"][205] = 3.25  # at night
    history["items"][333], history["amount"][333] = 30, 45.0  # many items, nearly nothing paid
    history["items"][512], history["weight"][512] = 3, 41.0  # three items that weigh as fifty
    history["amount"][512] = 62.5
    write(history, DOCS / "payments.csv")
    tomorrow = payments(60, 8)
    tomorrow["items"][20], tomorrow["amount"][20] = 35, 30.0
    tomorrow["amount"][40] *= 100.0  # the decimal point is lost
    write(tomorrow, DOCS / "tomorrow.csv")
