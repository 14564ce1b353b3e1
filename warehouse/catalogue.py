"""What the ledger says about itself: every table, view, macro and column with its comment, and docs/tables.md of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.database import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Whose words a column without its own takes: of the column of that name, in the first of these that has one.
INHERITS: Mapping[str, Sequence[str]] = {
    "main.price_history": ["core.observation"],
    "main.price_now": ["core.observation"],
    "core.standing": ["main.price_now"],
    "main.rejected": ["core.rejected"],
    "main.price_move": ["core.move"],
    "core.training_offer": ["main.price_now"],
    "main.training_cost": ["main.training_plan", "core.training_offer"],
    "main.training_cost_by_provider": ["main.training_cost"],
    "main.training_cost_history": ["main.training_cost"],
    "main.fine_tuning_cost": ["main.fine_tuning_requirement", "core.training_offer"],
    "core.hosting_option": ["main.hosting_requirement", "core.training_offer"],
    "main.hosting_cost": ["core.hosting_option"],
    "main.api_break_even": ["main.api_price", "main.hosting_cost"],
    "main.what_if_cost": ["main.what_if_requirement", "main.training_cost"],
    "main.affordable_model": ["core.training_offer"],
    "main.price_projection": ["core.training_offer"],
}

_COLUMNS = """
SELECT c.schema_name AS schema, c.table_name AS object, c.column_name AS name, c.data_type AS type,
    coalesce(c.comment, '') AS comment, v.view_name IS NOT NULL AS is_view,
    coalesce(v.comment, t.comment, '') AS object_comment
FROM duckdb_columns() AS c
LEFT JOIN duckdb_views() AS v ON v.schema_name = c.schema_name AND v.view_name = c.table_name
    AND v.database_name = c.database_name
LEFT JOIN duckdb_tables() AS t ON t.schema_name = c.schema_name AND t.table_name = c.table_name
    AND t.database_name = c.database_name
WHERE c.database_name = current_database() AND c.schema_name IN ('main', 'core', 'ref') AND NOT c.internal
ORDER BY c.schema_name <> 'main', c.schema_name, c.table_name, c.column_index
"""
_MACROS = """
SELECT schema_name AS schema, function_name AS object, parameters, function_type, coalesce(comment, '') AS comment
FROM duckdb_functions()
WHERE database_name = current_database() AND schema_name IN ('main', 'core', 'ref') AND NOT internal
    AND function_type IN ('macro', 'table_macro')
ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as people read it."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class Described:
    """A table, view or macro; columns in order, of a macro its parameters."""

    schema: str
    name: str
    kind: str  # Table, View, Table macro, Macro
    comment: str
    columns: tuple[Column, ...]


def described(connection: DuckDBPyConnection) -> list[Described]:
    """Every table, view and macro, what people query (main) first."""
    columns: dict[tuple[str, str], list[Column]] = {}
    about: dict[tuple[str, str], tuple[str, str]] = {}
    for row in rows(connection, _COLUMNS):
        name = row["schema"], row["object"]
        columns.setdefault(name, []).append(Column(row["name"], row["type"], row["comment"]))
        about[name] = "View" if row["is_view"] else "Table", row["object_comment"]
    for row in rows(connection, _MACROS):
        name = row["schema"], row["object"]
        columns[name] = [Column(parameter, "", "") for parameter in row["parameters"]]
        about[name] = row["function_type"].replace("_", " ").capitalize(), row["comment"]
    return [
        Described(*name, *about[name], tuple(columns[name]))
        for name in sorted(columns, key=lambda name: (name[0] != "main", name))
    ]


def columns_of(connection: DuckDBPyConnection, schema: str, name: str) -> list[Column]:
    """The columns of one table or view, in order."""
    wanted = f"SELECT name, type, comment FROM ({_COLUMNS}) WHERE schema = $schema AND object = $name"
    return [Column(**row) for row in rows(connection, wanted, {"schema": schema, "name": name})]


def inherit_comments(connection: DuckDBPyConnection, *names: str) -> None:
    """Give the columns of these objects (default: all of INHERITS) the words of where they come from."""
    said: dict[str, dict[str, str]] = {}
    for row in rows(connection, _COLUMNS):
        said.setdefault(f"{row['schema']}.{row['object']}", {})[row["name"]] = row["comment"]
    for name, sources in INHERITS.items():
        for column, comment in said.get(name, {}).items():
            heard = comment or next((words for source in sources if (words := said[source].get(column))), "")
            said[name][column] = heard
            if heard != comment and (not names or name in names):
                quoted = heard.replace("'", "''")
                connection.execute(f"COMMENT ON COLUMN {name}.\"{column}\" IS '{quoted}'")


def tables_markdown(objects: list[Described]) -> str:
    """docs/tables.md: the reader surface first, then the tables beneath it."""
    parts = [
        "# Tables",
        "",
        "Generated from the comments in the ledger (`gpuledger tables > docs/tables.md`). Schema `main` is what people",
        "query and stays stable; `core` and `ref` are what it is made of.",
        "",
    ]
    for item in objects:
        title = item.name if item.schema == "main" else f"{item.schema}.{item.name}"
        if item.kind in ("Table", "View"):
            parts += [f"## {title}", "", f"{item.kind}. {item.comment}", ""]
            parts += ["| column | type | what it says |", "|---|---|---|"]
            parts += [f"| {c.name} | {c.type} | {c.comment.replace('|', '/')} |" for c in item.columns]
        else:
            parameters = ", ".join(column.name for column in item.columns)
            parts += [f"## {title}({parameters})", "", f"{item.kind}. {item.comment}"]
        parts.append("")
    return "\n".join(parts).rstrip()
