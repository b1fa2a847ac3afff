"""Numbers as people and programs write them: separators, signs, currencies, and codes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tests.io.everyday.everyday_file import (
    CONSTANT,
    EIGENSCHAFTEN,
    FREE_TEXT,
    SACHEN,
    TITLE_LINES,
    EverydayFile,
    N,
    comments,
    delimited,
    each,
    german,
    moments,
    pick,
    spread,
    whole_numbers,
    with_gaps,
    written,
)

PRICES = [1234.5, 12.5, 9.99, *spread(N - 3, 1, 4000)]
QUANTITIES = [9733, 412, 87, *whole_numbers(N - 3, 1, 20_000)]
THOUSANDS = [9733, 71314, 1250, *whole_numbers(N - 3, 1_000, 99_000, step=3571)]
AMOUNTS = [-1234.56, 927.15, -0.07, *spread(N - 3, -5000, 3000)]
BALANCES = [12345.67, 98.0, 1000000.0, *spread(N - 3, 10, 90_000)]
RATES = [17.2, 0.5, 100.0, *spread(N - 3, 0, 99, 1)]
DAYS = moments(N, "2024-01-03", days=2)
PLACES = pick(N, "Lager 1", "Lager 2", "Außenlager")


def dollars(value: float) -> str:
    return f"(${-value:,.2f})" if value < 0 else f"${value:,.2f}"


def grouped(value: float, sign: str) -> str:
    return f"{value:,.2f}".replace(",", sign)


def ambiguous_german(**options: object) -> dict[str, object]:
    columns = {"Filiale": pick(N, "Nord", "Süd", "West"),
               "Besucher": each(lambda value: german(value, 0), THOUSANDS),
               "Kassen": whole_numbers(N, 1, 990)}  # fmt: skip
    return {"content": delimited(columns, ";").encode(), "options": options}


def thousands_that_come_late(path: Path) -> None:
    """Only the last of 151,000 rows show that the point is a thousands separator."""
    quantities = [*(i * 389 % 997 + 1 for i in range(150_000)), *range(9733, 16_733, 7)]
    columns = {"Filiale": pick(151_000, "Nord", "West"),
               "Menge": [german(value, 0) for value in quantities],
               "Wert": range(0, 7 * 151_000, 7)}  # fmt: skip
    path.write_text(delimited(columns, ";"), encoding="utf-8")


def bank_preamble() -> str:
    return ('"Umsatzanzeige";"Girokonto"\n"Kontonummer:";"DE89 3704 0044 0532 0130 00"\n'
            '"Zeitraum:";"03.01.2024 - 30.04.2024"\n\n')  # fmt: skip


NUMBER_FILES = (
    EverydayFile(
        name="erp_german_latin1.csv",
        content=delimited(
            {"Artikelnummer": [f"A-{10_017 + 31 * i}" for i in range(N)],
             "Bezeichnung": comments(N, SACHEN, EIGENSCHAFTEN),
             "Größe": each(german, spread(N, 0, 60)),
             "Menge": each(lambda value: german(value, 0), QUANTITIES),
             "Preis": each(german, PRICES),
             "Lagerort": pick(N, "München", "Köln", "Nürnberg", "Fürth"),
             "Gültig ab": written(DAYS, "%d.%m.%Y"),
             "Aktiv": pick(N, "ja", "nein", "ja")}, ";", ending="\r\n",
        ).encode("latin-1"),
        kinds={"Größe": "number", "Menge": "number", "Preis": "number", "Lagerort": "category",
               "Gültig ab": "date", "Aktiv": "boolean"},
        values={(0, "Menge"): 9733, (1, "Menge"): 412, (0, "Preis"): 1234.5, (1, "Preis"): 12.5,
                (0, "Lagerort"): "München", (0, "Gültig ab"): datetime(2024, 1, 3)},
        whole={"Größe": spread(N, 0, 60), "Menge": QUANTITIES, "Preis": PRICES, "Gültig ab": DAYS},
        left_out={"Artikelnummer": FREE_TEXT, "Bezeichnung": FREE_TEXT},
    ),
    EverydayFile(
        name="thousands_beside_decimal_commas.csv",
        content=delimited({"Ort": PLACES, "Bestand": each(lambda v: german(v, 0), THOUSANDS),
                           "Preis": each(german, PRICES)}, ";").encode(),
        kinds={"Ort": "category", "Bestand": "number", "Preis": "number"},
        values={(0, "Bestand"): 9733, (1, "Bestand"): 71314, (2, "Preis"): 9.99},
        whole={"Bestand": THOUSANDS, "Preis": PRICES, "Ort": PLACES},
    ),
    EverydayFile(
        name="only_9.733.csv", **ambiguous_german(),
        kinds={"Filiale": "category", "Kassen": "number"},
        left_out={"Besucher": "'9.733' may mean (9733 or 9.733|9.733 or 9733)"},
    ),
    EverydayFile(
        name="only_9.733_decimal_comma_given.csv", **ambiguous_german(decimal=","),
        kinds={"Filiale": "category", "Besucher": "number", "Kassen": "number"},
        values={(0, "Besucher"): 9733}, whole={"Besucher": THOUSANDS},
    ),
    EverydayFile(
        name="only_9.733_decimal_point_given.csv", **ambiguous_german(decimal="."),
        kinds={"Filiale": "category", "Besucher": "number", "Kassen": "number"},
        values={(0, "Besucher"): 9.733},
        whole={"Besucher": [value / 1000 for value in THOUSANDS]},
    ),
    EverydayFile(
        name="only_71,314.tsv",
        content=delimited({"page": pick(N, "home", "news", "shop"),
                           "bytes": [f"{value:,}" for value in [71314, *THOUSANDS[1:]]],
                           "hits": whole_numbers(N, 1, 990)}, "\t").encode(),
        kinds={"page": "category", "hits": "number"},
        left_out={"bytes": "'71,314' may mean (71314 or 71.314|71.314 or 71314)"},
    ),
    EverydayFile(
        name="thousands_beside_short_integers.tsv",
        content=delimited({"museum": pick(N, "Art", "Science", "Trains"),
                           "visitors": [f"{value:,}" for value in QUANTITIES]}, "\t").encode(),
        kinds={"museum": "category", "visitors": "number"},
        values={(0, "visitors"): 9733, (1, "visitors"): 412}, whole={"visitors": QUANTITIES},
    ),
    EverydayFile(
        name="thousands_beside_decimal_points.tsv",
        content=delimited({"bytes": [f"{value:,}" for value in THOUSANDS],
                           "seconds": spread(N, 0, 9)}, "\t").encode(),
        kinds={"bytes": "number", "seconds": "number"},
        values={(1, "bytes"): 71314}, whole={"bytes": THOUSANDS, "seconds": spread(N, 0, 9)},
    ),
    EverydayFile(
        name="inhabitants_with_several_groups.csv",
        content=delimited({"Kreis": [f"Kreis {chr(65 + i % 26)}{i}" for i in range(N)],
                           "Einwohner": [german(value * 997, 0) for value in THOUSANDS],
                           "Haushalte": [german(value, 0) for value in THOUSANDS]}, ";").encode(),
        kinds={"Einwohner": "number", "Haushalte": "number"},
        values={(0, "Einwohner"): 9_703_801, (0, "Haushalte"): 9733},
        whole={"Einwohner": [value * 997 for value in THOUSANDS], "Haushalte": THOUSANDS},
        left_out={"Kreis": FREE_TEXT},
    ),
    EverydayFile(
        name="access_log_quoted_thousands.csv",
        content=delimited({"time": written(moments(N, "2024-05-01T06:00:00", seconds=37),
                                           "%Y-%m-%dT%H:%M:%SZ"),
                           "status": pick(N, "200", "200", "404", "500"),
                           "bytes": [f"{value:,}" for value in [71314, *THOUSANDS[1:]]],
                           "seconds": [f"{value:.3f}" for value in spread(N, 0, 20, 3)]}).encode(),
        kinds={"time": "date", "status": "number", "bytes": "number", "seconds": "number"},
        numeric=("bytes", "seconds"),
        values={(0, "bytes"): 71314, (0, "status"): 200},
        whole={"bytes": [71314, *THOUSANDS[1:]], "seconds": spread(N, 0, 20, 3)},
    ),
    EverydayFile(
        name="bank_german_trailing_minus.csv",
        content=(bank_preamble() + delimited(
            {"Buchungstag": written(DAYS, "%d.%m.%Y"),
             "Auftraggeber": pick(N, "Stadtwerke", "Bäckerei Müller", "Miete", "Gehalt"),
             "Verwendungszweck": comments(N, ("Rechnung", "Einkauf"), ("vom Montag", "für März")),
             "Betrag": [german(abs(v)) + ("-" if v < 0 else "") for v in AMOUNTS]},
            ";", quoting=1)).encode("cp1252"),
        kinds={"Buchungstag": "date", "Auftraggeber": "category", "Betrag": "number"},
        values={(0, "Betrag"): -1234.56, (1, "Betrag"): 927.15, (2, "Betrag"): -0.07,
                (0, "Buchungstag"): datetime(2024, 1, 3)},
        whole={"Betrag": AMOUNTS, "Buchungstag": DAYS},
        left_out={"Verwendungszweck": FREE_TEXT},
        lines={0: 6, 59: 65},
        notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="bank_german_euro_signs.csv",
        content=delimited({"Buchung": written(DAYS, "%d.%m.%y"),
                           "Umsatz": [german(value) + " €" for value in AMOUNTS],
                           "Saldo": [german(value) + " €" for value in BALANCES],
                           "Währung": ["€"] * N}, ";").encode("cp1252"),
        kinds={"Buchung": "date", "Umsatz": "number", "Saldo": "number"},
        values={(0, "Umsatz"): -1234.56, (0, "Saldo"): 12345.67, (2, "Saldo"): 1_000_000.0,
                (0, "Buchung"): datetime(2024, 1, 3)},
        whole={"Umsatz": AMOUNTS, "Saldo": BALANCES, "Buchung": DAYS},
        left_out={"Währung": CONSTANT},
    ),
    EverydayFile(
        name="bank_us_parentheses.csv",
        content=delimited({"Date": written(DAYS, "%m/%d/%Y"), "Description": comments(N),
                           "Type": pick(N, "DEBIT", "CREDIT", "FEE"),
                           "Amount": each(dollars, [-1234.5, *AMOUNTS[1:]]),
                           "Running Bal.": each(dollars, BALANCES)}).encode(),
        kinds={"Date": "date", "Type": "category", "Amount": "number", "Running Bal.": "number"},
        values={(0, "Amount"): -1234.5, (1, "Amount"): 927.15, (0, "Running Bal."): 12345.67,
                (5, "Date"): datetime(2024, 1, 13)},
        whole={"Amount": [-1234.5, *AMOUNTS[1:]], "Running Bal.": BALANCES, "Date": DAYS},
        left_out={"Description": FREE_TEXT},
    ),
    EverydayFile(
        name="accounting_parentheses_without_signs.csv",
        content=delimited({"account": pick(N, "rent", "salaries", "travel"),
                           "budget": [f"{value:,.2f}" for value in BALANCES],
                           "difference": [f"({-value:,.2f})" if value < 0 else f"{value:,.2f}"
                                          for value in AMOUNTS]}).encode(),
        kinds={"account": "category", "budget": "number", "difference": "number"},
        values={(0, "difference"): -1234.56, (2, "difference"): -0.07},
        whole={"difference": AMOUNTS, "budget": BALANCES},
    ),
    EverydayFile(
        name="german_and_american_numbers_in_one_column.csv",
        content=delimited({"amount": [f"{v:,.2f}" if i % 2 else german(v)
                                      for i, v in enumerate(spread(N, 1_000, 9_000))],
                           "year": [f"{1990 + i * 7 % 31}" for i in range(N)],
                           "share": [f"0,{100 + i}" for i in range(N)]}, ";").encode(),
        kinds={"year": "number", "share": "number"},
        values={(0, "year"): 1990, (0, "share"): 0.1, (1, "share"): 0.101},
        left_out={"amount": FREE_TEXT},
    ),
    EverydayFile(
        name="quoted_three_decimals_with_leading_zeros.csv",
        content=delimited({"share": [f"0,{125 + i}" for i in range(N)],
                           "price": PRICES}).encode(),
        kinds={"share": "number", "price": "number"},
        whole={"share": [(125 + i) / 1000 for i in range(N)], "price": PRICES},
    ),
    EverydayFile(
        name="thousands_that_come_late.csv", content=thousands_that_come_late,
        kinds={"Filiale": "category", "Menge": "number", "Wert": "number"},
        values={(0, "Menge"): 1, (1, "Menge"): 390, (150_000, "Menge"): 9733,
                (150_001, "Menge"): 9740, (150_999, "Menge"): 16_726},
        n_rows=151_000, lines={0: 2, 150_999: 151_001},
    ),
    EverydayFile(
        name="percent_signs.csv",
        content=delimited({"shop": pick(N, "north", "south"),
                           "conversion": [f"{value} %" for value in RATES],
                           "bounce": [f"{value}%" for value in spread(N, 10, 90, 1)]}).encode(),
        kinds={"shop": "category", "conversion": "number", "bounce": "number"},
        values={(0, "conversion"): 17.2, (2, "conversion"): 100.0},
        whole={"conversion": RATES, "bounce": spread(N, 10, 90, 1)},
    ),
    EverydayFile(
        name="percent_signs_decimal_commas.csv",
        content=delimited({"Quote": [german(value, 1) + " %" for value in RATES],
                           "Filialen": whole_numbers(N, 1, 90)}, ";").encode(),
        kinds={"Quote": "number", "Filialen": "number"},
        values={(0, "Quote"): 17.2, (1, "Quote"): 0.5}, whole={"Quote": RATES},
    ),
    EverydayFile(
        name="quoted_decimal_commas.csv",
        content=delimited({"Produkt": pick(N, "Brot", "Kuchen"),
                           "Preis": [german(value) for value in PRICES],
                           "Gewicht": [german(value, 1) for value in RATES]}).encode(),
        kinds={"Produkt": "category", "Preis": "number", "Gewicht": "number"},
        values={(0, "Preis"): 1234.5, (1, "Preis"): 12.5, (0, "Gewicht"): 17.2},
        whole={"Preis": PRICES, "Gewicht": RATES},
    ),
    EverydayFile(
        name="swiss_apostrophes.csv",
        content=delimited({"Kanton": pick(N, "ZH", "BE", "GE"),
                           "Lohn": [grouped(value, "'") for value in BALANCES],
                           "Miete": [grouped(value, "’") for value in PRICES],
                           "Prämie": [f"CHF {grouped(v, chr(39))}" for v in PRICES]}, ";").encode(),
        kinds={"Kanton": "category", "Lohn": "number", "Miete": "number", "Prämie": "number"},
        values={(0, "Lohn"): 12345.67, (2, "Lohn"): 1_000_000.0, (0, "Miete"): 1234.5,
                (0, "Prämie"): 1234.5},
        whole={"Lohn": BALANCES, "Miete": PRICES, "Prämie": PRICES},
    ),
    EverydayFile(
        name="french_blanks.csv",
        content=delimited({"Région": pick(N, "Île-de-France", "Bretagne", "Alsace"),
                           "Montant": [f"{v:,.2f}".replace(",", "\u202f").replace(".", ",")
                                       for v in BALANCES],
                           "Loyer": [f"{v:,.2f}".replace(",", "\xa0").replace(".", ",") + "\xa0€"
                                     for v in PRICES],
                           "Effectif": [f"{v:,}".replace(",", " ") for v in QUANTITIES],
                           "Payé": pick(N, "oui", "non")}, ";").encode(),
        kinds={"Région": "category", "Montant": "number", "Loyer": "number", "Effectif": "number",
               "Payé": "boolean"},
        values={(0, "Montant"): 12345.67, (0, "Loyer"): 1234.5, (0, "Effectif"): 9733},
        whole={"Montant": BALANCES, "Loyer": PRICES, "Effectif": QUANTITIES},
    ),
    EverydayFile(
        name="scientific_notation.csv",
        content=delimited({"dose": [f"{value:.4e}" for value in spread(N, 1e-9, 1e-6, 12)],
                           "counts": [f"{value:.3E}" for value in spread(N, 1e3, 9e7, 0)],
                           "plain": spread(N, 0, 1, 4)}).encode(),
        kinds={"dose": "number", "counts": "number", "plain": "number"},
        whole={"dose": [float(f"{value:.4e}") for value in spread(N, 1e-9, 1e-6, 12)],
               "counts": [float(f"{value:.3E}") for value in spread(N, 1e3, 9e7, 0)]},
    ),
    EverydayFile(
        name="currency_codes.csv",
        content=delimited({"price": [f"USD {value:,.2f}" for value in PRICES],
                           "fee": [f"{value:.2f} EUR" for value in spread(N, 1, 60)],
                           "tip": [f"£{value:.2f}" for value in spread(N, 0, 9)],
                           "kept": [f"-${-v:,.2f}" if v < 0 else f"${v:,.2f}" for v in AMOUNTS],
                           "yen": [f"¥{value:,}" for value in QUANTITIES]}).encode(),
        kinds=dict.fromkeys(("price", "fee", "tip", "kept", "yen"), "number"),
        values={(0, "price"): 1234.5, (0, "yen"): 9733, (0, "kept"): -1234.56},
        whole={"price": PRICES, "fee": spread(N, 1, 60), "tip": spread(N, 0, 9), "kept": AMOUNTS,
               "yen": QUANTITIES},
    ),
    EverydayFile(
        name="two_currencies_and_half_the_percent_signs.csv",
        content=delimited({"paid": [f"{'€$'[i % 2]}{v:.2f}" for i, v in enumerate(PRICES)],
                           "share": [f"{v}%" if i % 2 else f"{v / 100:.4f}"
                                     for i, v in enumerate(spread(N, 1, 99, 1))],
                           "weight": [f"{v:.1f} kg" for v in PRICES], "price": PRICES}).encode(),
        kinds={"price": "number"},
        left_out={"paid": FREE_TEXT, "share": "'58.1%' and '0.7860' are on two scales",
                  "weight": FREE_TEXT},
    ),
    EverydayFile(
        name="unicode_minus.csv",
        content=delimited({"station": pick(N, "Oslo", "Bergen", "Tromsø"),
                           "temperature": [f"{value:.1f}".replace("-", "−")
                                           for value in [-12.5, *spread(N - 1, -30, 20, 1)]],
                           "change": [f"{value:+.2f}" for value in spread(N, -3, 3)]}).encode(),
        kinds={"station": "category", "temperature": "number", "change": "number"},
        values={(0, "temperature"): -12.5},
        whole={"temperature": [-12.5, *spread(N - 1, -30, 20, 1)], "change": spread(N, -3, 3)},
    ),
    EverydayFile(
        name="sap_trailing_minus.txt",
        content=delimited({"Konto": pick(N, "Erlöse", "Skonto", "Porto"),
                           "Saldo": [german(abs(v)) + ("-" if v < 0 else " ") for v in AMOUNTS],
                           "Belege": [f"{abs(v)}{'-' * (v < 0)}" for v in range(-9, 3 * N - 9, 3)]},
                          "\t").encode("cp1252"),
        kinds={"Konto": "category", "Saldo": "number", "Belege": "number"},
        values={(0, "Saldo"): -1234.56, (0, "Belege"): -9, (3, "Belege"): 0},
        whole={"Saldo": AMOUNTS, "Belege": range(-9, 3 * N - 9, 3)},
    ),
    EverydayFile(
        name="barometer_four_digits_before_the_point.csv",
        content=delimited({"pressure": [f"{value:.3f}" for value in spread(N, 980, 1040, 3)],
                           "depth": [f"{v:.3f}" for v in spread(N, 0, 300, 3)]}, ";").encode(),
        kinds={"pressure": "number", "depth": "number"},
        whole={"pressure": spread(N, 980, 1040, 3), "depth": spread(N, 0, 300, 3)},
    ),
    EverydayFile(
        name="three_decimals_with_leading_zeros.csv",
        content=delimited({"sensor": pick(N, "left", "right"),
                           "volts": [f"{v:.3f}" for v in [0.125, *spread(N - 1, 0, 30, 3)]]},
                          ";").encode(),
        kinds={"sensor": "category", "volts": "number"},
        values={(0, "volts"): 0.125}, whole={"volts": [0.125, *spread(N - 1, 0, 30, 3)]},
    ),
    EverydayFile(
        name="addresses_that_look_like_thousands.csv",
        content=delimited({"address": [f"192.168.100.{100 + i * 7 % 97}" for i in range(N)],
                           "version": [f"1.{100 + i % 5}.{200 + i % 3}" for i in range(N)],
                           "phone": [f"089 {123 + i * 11} {456 + i * 5}" for i in range(N)],
                           "mobile": [f"+49 {151 + i} {123 + i * 11} {456 + i}" for i in range(N)],
                           "card": [f"4532 {1000 + i} {2000 + i} 0366" for i in range(N)],
                           "mbytes": spread(N, 0, 900)}).encode(),
        kinds={"version": "category", "mbytes": "number"},
        values={(0, "version"): "1.100.200"},
        left_out=dict.fromkeys(("address", "phone", "mobile", "card"), FREE_TEXT),
    ),
    EverydayFile(
        name="codes_with_leading_zeros.csv",
        content=delimited({"PLZ": pick(N, "01067", "01069", "04109", "80331", "10115"),
                           "Umsatz": spread(N, 0, 900)}).encode(),
        kinds={"PLZ": "category", "Umsatz": "number"},
        values={(0, "PLZ"): "01067"}, whole={"Umsatz": spread(N, 0, 900)},
    ),
    EverydayFile(
        name="a_few_bad_cells.csv",
        content=delimited(
            {"sample": pick(120, "river", "lake", "well"),
             "nitrate": with_gaps(with_gaps(with_gaps(with_gaps(
                 spread(120, 0, 50), [15], "n.v."), [40], "#DIV/0!"), [70], "n/a"),
                 [100], "<0.01"),
             "depth": spread(120, 1, 80, 1)}).encode(),
        kinds={"sample": "category", "nitrate": "number", "depth": "number"},
        n_rows=116, n_rows_read=120,
        values={(14, "nitrate"): spread(120, 0, 50)[14],
                (119, "depth"): spread(120, 1, 80, 1)[119]},
        notes=(r"'n\.v\.'", r"\b17\b", r"\b102\b", "nitrate"),
        lines={14: 16, 16: 18, 119: 121},
    ),
    EverydayFile(
        name="many_cells_below_the_limit.csv",
        content=delimited(
            {"lead": ["<0.01" if i % 3 == 0 else f"{v:.3f}"
                      for i, v in enumerate(spread(90, 0.01, 9, 3))],
             "depth": spread(90, 1, 80, 1)}).encode(),
        kinds={"depth": "number"}, left_out={"lead": "text"}, n_rows=90,
    ),
)  # fmt: skip
