"""Dates, times and time stamps as loggers, shops, banks and people write them."""

from __future__ import annotations

from datetime import datetime

from tests.io.everyday.everyday_file import (
    CONSTANT,
    FREE_TEXT,
    EverydayFile,
    N,
    delimited,
    each,
    moments,
    pick,
    spread,
    whole_numbers,
    with_gaps,
    written,
)

TEMPERATURES = spread(N, 18, 24, 3)
VOLTS = [4.5, *spread(N - 1, 3, 5, 3)]
SPEEDS = spread(N, 0, 30)
MINUTES = moments(N, "2024-03-01T00:00:10", minutes=10)
EVERY_OTHER_DAY = moments(N, "2024-01-02", days=2)
HOURS = moments(N, "2024-03-30T20:00:00", hours=1)


def seconds(text: str) -> int:
    hours, minutes, rest = [*text.split(":"), "0"][:3]
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


def columns_by_blanks() -> bytes:
    lines = ["date        time      temp    volt  hum  state"]
    for i, (moment, value) in enumerate(zip(MINUTES, TEMPERATURES, strict=True)):
        state = "ok" if i % 7 else "warm"
        lines.append(
            f"{moment:%Y-%m-%d}  {moment:%H:%M:%S}  {value:6.3f}  {3 + i % 13 / 10:.2f}"
            f"  {40 + i * 17 % 41:3d}  {state}"
        )
    return ("\n".join(lines) + "\n").encode()


RACE_TIMES = [f"{2 + i % 4}:{i * 17 % 60:02d}:{i * 29 % 60:02d}" for i in range(N)]
SHIFTS = [f"{6 + i % 12:02d}:{i * 35 % 60:02d}" for i in range(N)]
SHUFFLED = [EVERY_OTHER_DAY[i * 7 % N] for i in range(N)]
# Days 1 to 12 of each month only, so that no part of a date says which one the month is.
LOW_DAYS = [datetime(2024, 1 + i // 5, 2 + 2 * (i % 5)) for i in range(N)]
LOW_DAYS_SHUFFLED = [LOW_DAYS[i * 7 % N] for i in range(N)]

DATE_FILES = (
    EverydayFile(
        name="sensor_log_iso.csv",
        content=delimited({"timestamp": written(MINUTES, "%Y-%m-%dT%H:%M:%S"),
                           "temperature": [f"{value:.3f}" for value in TEMPERATURES],
                           "humidity": spread(N, 30, 60, 1)}).encode(),
        kinds={"timestamp": "date", "temperature": "number", "humidity": "number"},
        values={(0, "timestamp"): datetime(2024, 3, 1, 0, 0, 10),
                (1, "timestamp"): datetime(2024, 3, 1, 0, 10, 10)},
        whole={"timestamp": MINUTES, "temperature": TEMPERATURES},
    ),
    EverydayFile(
        name="sensor_log_milliseconds.csv",
        content=delimited({"time": [f"{moment:%Y-%m-%d %H:%M:%S}.{i * 37 % 1000:03d}"
                                    for i, moment in enumerate(MINUTES)],
                           "volts": VOLTS}, ";").encode(),
        kinds={"time": "date", "volts": "number"},
        values={(1, "time"): datetime(2024, 3, 1, 0, 10, 10, 37_000)},
        whole={"volts": VOLTS},
    ),
    EverydayFile(
        name="sensor_log_blanks.log",
        content=columns_by_blanks(),
        kinds={"time": "number", "temp": "number", "volt": "number", "hum": "number",
               "state": "category"},
        values={(0, "time"): 10, (1, "time"): 610, (0, "hum"): 40, (0, "state"): "warm"},
        whole={"temp": TEMPERATURES, "time": [10 + 600 * i for i in range(N)]},
        left_out={"date": CONSTANT},
    ),
    EverydayFile(
        name="dates_month_first.csv",
        content=delimited({"ordered": written(SHUFFLED, "%m/%d/%Y"),
                           "total": SPEEDS}).encode(),
        kinds={"ordered": "date", "total": "number"},
        values={(0, "ordered"): datetime(2024, 1, 2)}, whole={"ordered": SHUFFLED},
    ),
    EverydayFile(
        name="dates_day_first.csv",
        content=delimited({"ordered": written(SHUFFLED, "%d/%m/%Y"),
                           "total": SPEEDS}).encode(),
        kinds={"ordered": "date", "total": "number"},
        values={(0, "ordered"): datetime(2024, 1, 2)}, whole={"ordered": SHUFFLED},
    ),
    EverydayFile(
        name="dates_day_first_by_their_order.csv",
        content=delimited({"day": written(LOW_DAYS, "%d/%m/%Y"), "total": SPEEDS}).encode(),
        kinds={"day": "date", "total": "number"},
        values={(0, "day"): datetime(2024, 1, 2), (1, "day"): datetime(2024, 1, 4)},
        whole={"day": LOW_DAYS},
    ),
    EverydayFile(
        name="dates_month_first_by_their_order.csv",
        content=delimited({"day": written(LOW_DAYS, "%m/%d/%Y"), "total": SPEEDS}).encode(),
        kinds={"day": "date", "total": "number"},
        values={(1, "day"): datetime(2024, 1, 4)}, whole={"day": LOW_DAYS},
    ),
    EverydayFile(
        name="dates_that_nothing_decides.csv",
        content=delimited({"day": written(LOW_DAYS_SHUFFLED, "%m/%d/%Y"),
                           "total": SPEEDS}).encode(),
        kinds={"day": "date", "total": "number"},
        whole={"day": LOW_DAYS_SHUFFLED}, notes=(r"'day'.*month (coming )?first",),
    ),
    EverydayFile(
        name="dates_with_points.csv",
        content=delimited({"Datum": written(LOW_DAYS_SHUFFLED, "%d.%m.%Y"),
                           "Wert": [f"{value:.2f}".replace(".", ",") for value in SPEEDS]},
                          ";").encode(),
        kinds={"Datum": "date", "Wert": "number"},
        whole={"Datum": LOW_DAYS_SHUFFLED, "Wert": SPEEDS},
    ),
    EverydayFile(
        name="german_time_stamps.csv",
        content=delimited({"Zeit": written(MINUTES, "%d.%m.%Y %H:%M:%S"),
                           "Leistung": [f"{value:.2f}".replace(".", ",") for value in SPEEDS]},
                          ";").encode(),
        kinds={"Zeit": "date", "Leistung": "number"},
        whole={"Zeit": MINUTES, "Leistung": SPEEDS},
    ),
    EverydayFile(
        name="month_names.csv",
        content=delimited({"settled": written(EVERY_OTHER_DAY, "%d-%b-%Y"),
                           "shipped": written(SHUFFLED, "%b %d, %Y"),
                           "price": SPEEDS}).encode(),
        kinds={"settled": "date", "shipped": "date", "price": "number"},
        values={(0, "settled"): datetime(2024, 1, 2), (0, "shipped"): datetime(2024, 1, 2)},
        whole={"settled": EVERY_OTHER_DAY, "shipped": SHUFFLED},
    ),
    EverydayFile(
        name="online_survey_time_stamps.csv",
        content=delimited({"Timestamp": [f"{m.month}/{m.day}/{m.year} {m:%H:%M:%S}"
                                         for m in moments(N, "2024-03-10T09:12:44", hours=5)],
                           "Hours of sleep": spread(N, 4, 10, 1)}).encode(),
        kinds={"Timestamp": "date", "Hours of sleep": "number"},
        values={(0, "Timestamp"): datetime(2024, 3, 10, 9, 12, 44)},
        whole={"Timestamp": moments(N, "2024-03-10T09:12:44", hours=5)},
    ),
    EverydayFile(
        name="twelve_hour_clock.csv",
        content=delimited({"Start": written(moments(N, "2024-03-10T09:12:00", hours=5),
                                            "%m/%d/%Y %I:%M %p"),
                           "Miles": SPEEDS}).encode(),
        kinds={"Start": "date", "Miles": "number"},
        values={(1, "Start"): datetime(2024, 3, 10, 14, 12)},
        whole={"Start": moments(N, "2024-03-10T09:12:00", hours=5)},
    ),
    EverydayFile(
        name="dates_of_two_orders_in_one_column.csv",
        content=delimited({"day": [m.strftime("%m/%d/%Y" if i % 2 else "%d/%m/%Y")
                                   for i, m in enumerate(EVERY_OTHER_DAY)],
                           "seen": [m.strftime("%Y-%m-%d" if i % 2 else "%d.%m.%Y")
                                    for i, m in enumerate(EVERY_OTHER_DAY)],
                           "price": SPEEDS}).encode(),
        kinds={"price": "number"}, left_out={"day": FREE_TEXT, "seen": FREE_TEXT},
    ),
    EverydayFile(
        name="durations_of_more_than_a_day.csv",
        content=delimited({"worked": [f"{20 + i % 30}:{i * 7 % 60:02d}:00" for i in range(N)],
                           "lap": [f"1:{i * 7 % 60:02d}.{i * 13 % 1000:03d}" for i in range(N)],
                           "pay": SPEEDS}).encode(),
        kinds={"worked": "number", "pay": "number"}, left_out={"lap": FREE_TEXT},
        whole={"worked": [(20 + i % 30) * 3600 + i * 7 % 60 * 60 for i in range(N)]},
    ),
    EverydayFile(
        name="race_results_times_alone.csv",
        content=delimited({"club": pick(N, "Lions", "Bears", "none of these"),
                           "start": SHIFTS, "finish": RACE_TIMES}).encode(),
        kinds={"club": "category", "start": "number", "finish": "number"},
        values={(0, "start"): 21_600, (0, "finish"): 7_200, (1, "finish"): 11_849},
        whole={"start": each(seconds, SHIFTS), "finish": each(seconds, RACE_TIMES)},
    ),
    EverydayFile(
        name="epoch_seconds.csv",
        content=delimited({"ts": [1_709_251_210 + 60 * i + i * 7 % 5 for i in range(N)],
                           "ts_ms": [1_709_251_210_000 + 60_013 * i for i in range(N)],
                           "load": SPEEDS}).encode(),
        kinds={"ts": "number", "ts_ms": "number", "load": "number"},
        values={(0, "ts"): 1_709_251_210, (1, "ts_ms"): 1_709_251_270_013},
        whole={"load": SPEEDS},
    ),
    EverydayFile(
        name="yyyymmdd.csv",
        content=delimited({"trade_date": written(EVERY_OTHER_DAY, "%Y%m%d"),
                           "volume": [20_240_000 + v for v in whole_numbers(N, 101, 131)],
                           "close": SPEEDS}).encode(),
        kinds={"trade_date": "date", "volume": "number", "close": "number"},
        values={(0, "trade_date"): datetime(2024, 1, 2)}, whole={"trade_date": EVERY_OTHER_DAY,
        "volume": [20_240_000 + v for v in whole_numbers(N, 101, 131)]},
    ),
    EverydayFile(
        name="mixed_time_zones.csv",
        content=delimited({"at": [f"{m:%Y-%m-%dT%H:%M:%S}{'+01:00' if i < 6 else '+02:00'}"
                                  for i, m in enumerate(HOURS)],
                           "load": SPEEDS}).encode(),
        kinds={"at": "date", "load": "number"},
        values={(0, "at"): datetime(2024, 3, 30, 19), (6, "at"): datetime(2024, 3, 31, 0)},
        notes=("UTC",),
    ),
    EverydayFile(
        name="dates_with_a_few_bad_cells.csv",
        content=delimited({"delivered": with_gaps(written(moments(100, "2024-01-02", days=1),
                                                          "%Y-%m-%d"), [30, 60], "unknown"),
                           "price": spread(100, 1, 90)}).encode(),
        kinds={"delivered": "date", "price": "number"}, n_rows=98, n_rows_read=100,
        values={(0, "delivered"): datetime(2024, 1, 2), (31, "delivered"): datetime(2024, 2, 2)},
        notes=("'unknown'", r"\b32\b", "delivered"), lines={31: 33},
    ),
    EverydayFile(
        name="dates_that_do_not_vary.csv",
        content=delimited({"exported": ["2024-05-31"] * N, "price": SPEEDS}).encode(),
        kinds={"price": "number"}, left_out={"exported": CONSTANT},
    ),
    EverydayFile(
        name="part_numbers_that_are_no_dates.csv",
        content=delimited({"part": [f"{10 + i % 40}-{20 + i * 3 % 70}-{4000 + i}"
                                    for i in range(N)],
                           "score": [f"{i % 4}:{i * 7 % 5}" for i in range(N)],
                           "price": SPEEDS}).encode(),
        kinds={"score": "category", "price": "number"},
        values={(1, "score"): "1:2"}, left_out={"part": FREE_TEXT},
    ),
    EverydayFile(
        name="months.csv",
        content=delimited({"month": [f"{2019 + i // 12}-{1 + i % 12:02d}" for i in range(N)],
                           "sales": SPEEDS}).encode(),
        kinds={"month": "date", "sales": "number"},
        values={(0, "month"): datetime(2019, 1, 1), (13, "month"): datetime(2020, 2, 1)},
    ),
)  # fmt: skip
