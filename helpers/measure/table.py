"""Append rows to a CSV file under a lock, and read those whose columns equal given values.

`helpers.measure.store` has the tables of `data/`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from helpers import paths, specs
from helpers.run.locks import lock


@dataclass(frozen=True)
class Table:
    """One CSV file of data/: its columns in order, each with its pandas dtype.

    key: columns that say what a row measured; of rows with an equal key the newest counts.
    command: what records it. decimals: to which a column is rounded when it is written.
    """

    name: str
    columns: Mapping[str, str]
    key: Sequence[str]
    command: str = "make record"
    decimals: Mapping[str, int] = field(default_factory=dict)
    folder: Path = paths.DATA

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / self.name

    def frame(self, rows: pd.DataFrame | Iterable[Mapping[str, object]]) -> pd.DataFrame:
        """Make a table with these columns and dtypes; a column that a row lacks is empty.

        Raises ValueError for a column that the file does not have.
        """
        given = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
        self._refuse_unknown(given.columns)
        return given.reindex(columns=list(self.columns)).astype(dict(self.columns))

    def append(self, rows: pd.DataFrame | Iterable[Mapping[str, object]]) -> pd.DataFrame:
        """Add rows to the file and return them as they were written.

        One process writes at a time; a reader sees the old file or the new one, never a part.
        Raises ValueError for a column that the file does not have.
        """
        new = self.frame(rows).round(dict(self.decimals))
        purpose = f"to write {self.name}, which another process is writing"
        with lock(self.path.with_name(f".{self.name}.lock"), purpose):
            text = io.StringIO()
            if self.path.exists():
                self._columns_of_the_file()
                old = self.path.read_text(encoding="utf-8")
                text.write(old if old.endswith("\n") else old + "\n")
            new.to_csv(text, index=False, header=not self.path.exists(), lineterminator="\n")
            _replace(self.path, text.getvalue())
        return new

    def load(self, *, latest: bool = True, **equals: object) -> pd.DataFrame:
        """Read the rows whose columns equal the given values, oldest first.

        latest: of rows with an equal key, keep the newest only. A `gpu` is the driver's name of
        a card, or a name of data/gpus.csv ("H200"), never a part of a name. None is an empty
        cell. Raises FileNotFoundError without the file, ValueError for an unknown column.
        """
        self._refuse_unknown(equals)
        if not self.path.exists():
            raise FileNotFoundError(
                f"no record {self.name} in {self.path.parent.name}/: "
                f"`{self.command}` on a GPU makes one"
            )
        self._columns_of_the_file()
        text = io.StringIO("\n".join(specs.data_lines(self.path)))
        rows = pd.read_csv(text, dtype=dict(self.columns))
        for column, value in equals.items():
            if value is None:
                rows = rows[rows[column].isna()]
            elif column == "gpu":
                rows = rows[_is_card(rows.gpu, str(value))]
            else:
                rows = rows[(rows[column] == value).fillna(False)]
        if latest:
            rows = rows.drop_duplicates(list(self.key), keep="last")
        return rows.reset_index(drop=True)

    def _refuse_unknown(self, columns: Iterable[str]) -> None:
        if unknown := [name for name in columns if name not in self.columns]:
            raise ValueError(
                f"{self.name} has no column {', '.join(map(repr, unknown))}; "
                f"it has {', '.join(self.columns)}"
            )

    def _columns_of_the_file(self) -> None:
        """Raise ValueError if the file's header is not this table's columns."""
        found = next(csv.reader(specs.data_lines(self.path)), [])
        if found != list(self.columns):
            raise ValueError(
                f"{self.name} has the columns {', '.join(found)}; expected are "
                f"{', '.join(self.columns)}"
            )


def _replace(path: Path, text: str) -> None:
    """Replace a file whole, or not at all: the temporary file has a name of its own."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _card(name: str) -> str:
    """Return a card's name in data/gpus.csv; the name as it is for a card that is not there."""
    try:
        return specs.gpu(name).name
    except KeyError:
        return name


def _is_card(names: pd.Series, wanted: str) -> pd.Series:
    """Compare drivers' names with the wanted one, else as cards of data/gpus.csv."""
    same = (names == wanted).fillna(False)
    return same if same.any() else names.map(_card, na_action="ignore") == _card(wanted)
