"""Columns by what they mean: ids, counters, labels, booleans, categories, texts, gaps."""

from __future__ import annotations

import uuid
from statistics import median

from tests.io.everyday.everyday_file import (
    CONSTANT,
    EMPTY,
    FREE_TEXT,
    IDENTIFIER,
    LABEL,
    EverydayFile,
    N,
    comments,
    delimited,
    moments,
    pick,
    spread,
    whole_numbers,
    with_gaps,
    written,
)

AMOUNTS = spread(N, 5, 900)
WEIGHTS = spread(N, 40, 110, 1, step=3571)
FIRST_NAMES = ("Anna", "Ben", "Chloé", "David", "Elif", "Farid", "Grace", "Hiro")
LAST_NAMES = ("Smith", "Okafor", "Nguyen", "García", "Müller", "Rossi", "Novak")


MEDIAN_PRICE = median(v for i, v in enumerate(spread(100, 1, 90)) if i not in (10, 50))


def repeated_row() -> bytes:
    """Orders, one of which was exported twice."""
    columns = {"customer_id": whole_numbers(N, 10_000, 99_000),
               "order_no": [70_000 + 13 * i * i for i in range(N)],
               "amount": AMOUNTS, "weight": WEIGHTS}  # fmt: skip
    lines = delimited(columns).splitlines()
    return ("\n".join([*lines[:31], lines[30], *lines[31:]]) + "\n").encode()


def identity(i: int) -> str:
    return str(uuid.UUID(int=(i + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**128))


def thirty_percent_missing() -> bytes:
    """1,000 rows of 12 columns, each with 30 % missing; `lab` with 64 %."""
    columns: dict[str, list[object]] = {}
    for j in range(12):
        missing = [i for i in range(1000) if (i * 7919 + j * 231) % 1000 < 300]
        columns[f"m{j}"] = with_gaps(spread(1000, j, j + 50, 3, step=7919 - j), missing)
    columns["lab"] = with_gaps(spread(1000, 0, 9, 3, 613), [i for i in range(1000) if i % 25 < 16])
    return delimited(columns).encode()


def gaps_in_all_kinds(**options: object) -> dict[str, object]:
    """100 rows; one row of ten lacks something in one of the columns."""
    columns = {
        "price": with_gaps(spread(100, 1, 90), [10, 50], "NA"),
        "plan": with_gaps(pick(100, "basic", "plus", "pro", step=3), [20, 60], ""),
        "active": with_gaps(["yes" if i % 3 else "no" for i in range(100)], [30, 70], ""),
        "since": with_gaps(written(moments(100, "2024-01-01", days=1), "%Y-%m-%d"), [40, 80, 81]),
        "age": spread(100, 18, 80, 1),
    }
    kinds = {"price": "number", "plan": "category", "active": "boolean", "since": "date",
             "age": "number"}  # fmt: skip
    return {"content": delimited(columns).encode(), "options": options, "kinds": kinds}


COLUMN_FILES = (
    EverydayFile(
        name="orders_with_one_repeated_row.csv", content=repeated_row(),
        kinds={"amount": "number", "weight": "number"},
        whole={"amount": [*AMOUNTS[:30], AMOUNTS[29], *AMOUNTS[30:]]},
        left_out={"customer_id": IDENTIFIER, "order_no": IDENTIFIER},
        n_rows=61, n_repeated=1, notes=(r"1 row repeats|1 rows? repeat", "drop-duplicates"),
    ),
    EverydayFile(
        name="orders_without_the_repeated_row.csv", content=repeated_row(),
        options={"drop_duplicates": True},
        kinds={"amount": "number", "weight": "number"},
        whole={"amount": AMOUNTS}, left_out={"customer_id": IDENTIFIER, "order_no": IDENTIFIER},
        n_rows=60, n_rows_read=61, n_repeated=1, lines={29: 31, 31: 33},
        notes=("1 row repeats an earlier row and is dropped",),
    ),
    EverydayFile(
        name="columns_asked_for.csv", content=repeated_row(),
        options={"columns": ["weight", "customer_id"]},
        kinds={"weight": "number", "customer_id": "number"}, n_rows=61, n_repeated=1,
        values={(0, "customer_id"): 80_430, (60, "weight"): WEIGHTS[59]},
    ),
    EverydayFile(
        name="many_repeated_rows.csv",
        content=delimited({"length": spread(20, 1, 9) * 3, "width": spread(20, 3, 7) * 3}).encode(),
        kinds={"length": "number", "width": "number"}, n_repeated=40,
        notes=("40 rows repeat an earlier row",),
    ),
    EverydayFile(
        name="uuids_and_account_numbers.csv",
        content=delimited({"session": [identity(i) for i in range(N)],
                           "iban": [f"DE{10 + i % 80}3704004405320{13_000 + 7 * i}"
                                    for i in range(N)],
                           "deviceId": [f"sensor-{i * 7 % N:03d}" for i in range(N)],
                           "userId": whole_numbers(N, 1_000, 99_000, step=613),
                           "card_number": [4_532_015_112_830_366 + 7_919_731 * i * i
                                           for i in range(N)],
                           "amount": AMOUNTS}).encode(),
        kinds={"amount": "number"},
        whole={"amount": AMOUNTS},
        left_out={"session": FREE_TEXT, "iban": FREE_TEXT, "deviceId": IDENTIFIER,
                  "userId": IDENTIFIER, "card_number": IDENTIFIER},
    ),
    EverydayFile(
        name="german_numbers_of_things.csv",
        content=delimited({"Kunden-Nr.": [10_001 + 37 * i for i in range(N)],
                           "Belegnummer": [70_001 + 41 * i for i in range(N)],
                           "customer_id": [f"{90_001 + 43 * i}.0" for i in range(N)],
                           "PassengerId": [5 + 3 * i for i in range(N)],
                           "grid": range(0, 3 * N, 3), "Betrag": AMOUNTS}).encode(),
        kinds={"grid": "number", "Betrag": "number"}, whole={"Betrag": AMOUNTS},
        left_out=dict.fromkeys(("Kunden-Nr.", "Belegnummer", "customer_id", "PassengerId"),
                               IDENTIFIER),
    ),
    EverydayFile(
        name="ids_that_are_groups.csv",
        content=delimited({"store_id": [100 + i * 7 % 6 for i in range(N)],
                           "machine_id": pick(N, "press", "lathe", "saw"),
                           "humid": spread(N, 20, 90, 0), "paid": AMOUNTS}).encode(),
        kinds={"store_id": "number", "machine_id": "category", "humid": "number",
               "paid": "number"},
        numeric=("humid", "paid"),
        values={(0, "store_id"): 100, (1, "machine_id"): "lathe"},
    ),
    EverydayFile(
        name="counters.csv",
        content=delimited({"Nr.": range(1, N + 1),
                           "seq": [5_000 + i + 10 * (i > 40) for i in range(N)],
                           "amount": AMOUNTS}).encode(),
        kinds={"amount": "number"}, left_out={"Nr.": IDENTIFIER, "seq": IDENTIFIER},
    ),
    EverydayFile(
        name="fraud_as_0_and_1.csv",
        content=delimited({"amount": AMOUNTS, "is_fraud": [int(i % 20 == 3) for i in range(N)]}
                          ).encode(),
        kinds={"amount": "number"}, left_out={"is_fraud": LABEL}, label_like=("is_fraud",),
        notes=("--label is_fraud",),
    ),
    EverydayFile(
        name="fraud_given_as_label.csv",
        content=delimited({"amount": AMOUNTS, "is_fraud": [int(i % 20 == 3) for i in range(N)]}
                          ).encode(),
        options={"label": "is_fraud"}, kinds={"amount": "number"},
        labels=[int(i % 20 == 3) for i in range(N)],
    ),
    EverydayFile(
        name="weekend_is_no_label.csv",
        content=delimited({"amount": AMOUNTS, "is_weekend": [int(i % 7 > 4) for i in range(N)]}
                          ).encode(),
        kinds={"amount": "number", "is_weekend": "number"}, numeric=("amount",),
        values={(0, "is_weekend"): 0, (5, "is_weekend"): 1},
        label_like=("is_weekend",), notes=("is_weekend",),
    ),
    EverydayFile(
        name="class_of_two_words.csv",
        content=delimited({"duration": AMOUNTS, "src_bytes": whole_numbers(N, 40, 9_000),
                           "class": ["attack" if i % 15 == 4 else "normal" for i in range(N)]}
                          ).encode(),
        kinds={"duration": "number", "src_bytes": "number"}, left_out={"class": LABEL},
        label_like=("class",),
    ),
    EverydayFile(
        name="class_of_many_words.csv",
        content=delimited({"fare": AMOUNTS, "class": pick(N, "first", "second", "third")}).encode(),
        kinds={"fare": "number", "class": "category"}, values={(0, "class"): "first"},
    ),
    EverydayFile(
        name="months_and_weekdays_as_words.csv",
        content=delimited({"month": pick(N, "Jan", "Feb", "Mar", "Apr", "May", "Jun", step=5),
                           "weekday": pick(N, "Mon", "Tue", "Wed", "Thu", "Fri"),
                           "quarter": pick(N, "2024-Q1", "2024-Q2", "2024-Q3", step=2),
                           "size": pick(N, "S", "M", "L", "XL"),
                           "sales": AMOUNTS}).encode(),
        kinds={"month": "category", "weekday": "category", "quarter": "category",
               "size": "category", "sales": "number"},
        values={(0, "month"): "Jan", (0, "weekday"): "Mon", (0, "quarter"): "2024-Q1",
                (0, "size"): "S"},
    ),
    EverydayFile(
        name="words_only.csv",
        content=delimited({"cap": pick(N, "bell", "flat", "conical"),
                           "odour": pick(N, "almond", "none at all", "fishy", "spicy", step=3),
                           "colour": pick(N, "brown", "white", "grey", "red", "pink", step=13),
                           "bruises": pick(N, "yes", "no", step=2)}).encode(),
        kinds={"cap": "category", "odour": "category", "colour": "category",
               "bruises": "boolean"},
        values={(0, "odour"): "almond", (0, "bruises"): True},
        n_repeated=13, notes=("13 rows repeat an earlier row",),
    ),
    EverydayFile(
        name="booleans_of_many_languages.csv",
        content=delimited({"bezahlt": pick(N, "Ja", "Nein"), "payé": pick(N, "OUI", "NON"),
                           "pagado": pick(N, "Sí", "No"), "pagato": pick(N, "si", "no"),
                           "paid": pick(N, "yes", "no"), "sent": pick(N, "Y", "N"),
                           "open": pick(N, "TRUE", "FALSE"), "locked": pick(N, "t", "f"),
                           "lamp": pick(N, "on", "off"), "gültig": pick(N, "WAHR", "FALSCH"),
                           "door": pick(N, "open", "shut"), "flag": pick(N, "1", "0"),
                           "amount": AMOUNTS}).encode(),
        kinds={**dict.fromkeys(("bezahlt", "payé", "pagado", "pagato", "paid", "sent", "open",
                                "locked", "lamp", "gültig"), "boolean"),
               "door": "category", "flag": "number", "amount": "number"},
        numeric=("amount",),
        whole={name: [value == "1" for value in pick(N, "1", "0")]
               for name in ("bezahlt", "payé", "pagado", "pagato", "paid", "sent", "open",
                            "locked", "lamp", "gültig")},
        values={(0, "flag"): 1, (0, "door"): "open"},
    ),
    EverydayFile(
        name="survey.csv",
        content=delimited({"Respondent": range(1, 81),
                           "Age group": pick(80, "18-24", "25-34", "35-64", "65+"),
                           "Gender": pick(80, "M", "F", "X", step=5),
                           "Do you smoke?": pick(80, "Yes", "No", "No", "No", step=3),
                           "Satisfaction (1-5)": [1 + (i * 3 + i // 7) % 5 for i in range(80)],
                           "Would you return?": pick(80, "Yes", "No", "Maybe", step=11),
                           "Children": [i * i // 3 % 4 for i in range(80)],
                           "Commute (min)": whole_numbers(80, 1, 95),
                           "Anything else?": with_gaps(comments(80), range(0, 80, 2))}).encode(),
        kinds={"Age group": "category", "Gender": "category", "Do you smoke?": "boolean",
               "Satisfaction (1-5)": "number", "Would you return?": "category",
               "Children": "number", "Commute (min)": "number"},
        numeric=("Commute (min)",),
        values={(0, "Age group"): "18-24", (0, "Gender"): "M", (0, "Do you smoke?"): True,
                (0, "Satisfaction (1-5)"): 1},
        left_out={"Respondent": IDENTIFIER, "Anything else?": FREE_TEXT}, n_rows=80,
        n_repeated=2,
    ),
    EverydayFile(
        name="people_with_names.csv",
        content=delimited({"name": [f"{FIRST_NAMES[i % 8]} {LAST_NAMES[i % 7]}"
                                    for i in range(50)] * 2,
                           "e-mail": [f"{FIRST_NAMES[i % 8].lower()}.{i}@example.org"
                                      for i in range(100)],
                           "team": pick(100, "sales", "support"),
                           "salary": spread(100, 30_000, 90_000, 0)}).encode(),
        kinds={"team": "category", "salary": "number"}, n_rows=100,
        left_out={"name": "50 different texts in 100 rows", "e-mail": FREE_TEXT},
    ),
    EverydayFile(
        name="constants_and_empty_columns.csv",
        content=delimited({"country": ["DE"] * N, "version": [3] * N, "discount": [""] * N,
                           "archived": ["false"] * N, "amount": AMOUNTS}).encode(),
        kinds={"amount": "number"},
        left_out={"country": CONSTANT, "version": CONSTANT, "discount": EMPTY,
                  "archived": CONSTANT},
    ),
    EverydayFile(
        name="category_with_few_gaps.csv",
        content=delimited({"colour": with_gaps(pick(N, "red", "green", "blue"), [4, 40]),
                           "amount": AMOUNTS}).encode(),
        kinds={"colour": "category", "amount": "number"}, n_rows=58, n_rows_read=60,
        lines={3: 5, 5: 7, 59: 61}, notes=(r"(?i)dropped? 2 of 60 rows", "--gaps"),
    ),
    EverydayFile(
        name="thirty_percent_missing.csv", content=thirty_percent_missing(),
        kinds={f"m{j}": "number" for j in range(12)}, n_rows=1000, n_imputed=3600,
        left_out={"lab": "640 of 1,000 values are missing"},
        notes=(r"3,600", "--gaps"),
    ),
    EverydayFile(
        name="gaps_auto.csv", **gaps_in_all_kinds(), n_rows=100, n_imputed=9,
        values={(10, "price"): MEDIAN_PRICE, (50, "price"): MEDIAN_PRICE,
                (20, "plan"): "missing", (30, "active"): True},
        notes=("--gaps",),
    ),
    EverydayFile(
        name="gaps_drop.csv", **gaps_in_all_kinds(gaps="drop"), n_rows=91, n_rows_read=100,
        values={(0, "plan"): "basic", (99, "age"): spread(100, 18, 80, 1)[99]}, lines={11: 13},
    ),
    EverydayFile(
        name="gaps_keep.csv", **gaps_in_all_kinds(gaps="keep"), n_rows=100,
        values={(10, "price"): None, (20, "plan"): None, (30, "active"): None,
                (40, "since"): None, (31, "active"): True},
    ),
    EverydayFile(
        name="stata_points.csv",
        content=delimited({"income": with_gaps(spread(N, 900, 9_000, 0), [7, 8], "."),
                           "region": pick(N, "east", "west")}).encode(),
        kinds={"income": "number", "region": "category"}, n_rows=58, n_rows_read=60,
        values={(9, "income"): spread(N, 900, 9_000, 0)[9]}, lines={9: 11},
    ),
    EverydayFile(
        name="sql_null.csv",
        content=delimited({"price": with_gaps(AMOUNTS, [3], "NULL"),
                           "shipped_at": with_gaps(written(moments(N, "2024-01-01", hours=7),
                                                           "%Y-%m-%d %H:%M:%S"), [4], "NULL"),
                           "carrier": with_gaps(pick(N, "DHL", "UPS"), [3], "NULL")}).encode(),
        kinds={"price": "number", "shipped_at": "date", "carrier": "category"},
        n_rows=58, n_rows_read=60, lines={2: 4, 5: 7},
    ),
)  # fmt: skip
