"""What the ledger says about itself: every table, view and column with its comment, and docs/tables.md made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.database import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_INHERITED = """
SELECT missing.schema_name, missing.table_name, missing.column_name, missing.is_view, any_value(said.comment) AS comment
FROM described AS missing JOIN described AS said USING (column_name)
WHERE missing.comment IS NULL AND said.comment IS NOT NULL AND (said.schema_name = 'core' OR said.schema_name = 'main')
    AND said.table_name IN ('observation', 'scrape', 'price_now', 'price_history', 'rejected', 'training_requirement',
                            'training_cost')
GROUP BY ALL HAVING count(DISTINCT said.comment) >= 1
"""

_DESCRIBED = """
CREATE OR REPLACE TEMP VIEW described AS
SELECT c.schema_name, c.table_name, c.column_name, c.column_index, c.data_type, c.comment,
    v.view_name IS NOT NULL AS is_view, coalesce(v.comment, t.comment) AS object_comment
FROM duckdb_columns() AS c
LEFT JOIN duckdb_views() AS v ON v.schema_name = c.schema_name AND v.view_name = c.table_name
    AND v.database_name = c.database_name
LEFT JOIN duckdb_tables() AS t ON t.schema_name = c.schema_name AND t.table_name = c.table_name
    AND t.database_name = c.database_name
WHERE c.database_name = current_database() AND c.schema_name IN ('main', 'core', 'ref') AND NOT c.internal
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as people read it."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class Described:
    """A table or view with its columns in order."""

    schema: str
    name: str
    is_view: bool
    comment: str
    columns: tuple[Column, ...]


def described(connection: DuckDBPyConnection) -> list[Described]:
    """Every table and view, what people query (main) first."""
    connection.execute(_DESCRIBED)
    found: dict[tuple[str, str], list[dict[str, object]]] = {}
    order = "ORDER BY schema_name <> 'main', schema_name, table_name, column_index"
    for row in rows(connection, f"SELECT * FROM described {order}"):
        found.setdefault((row["schema_name"], row["table_name"]), []).append(row)
    return [
        Described(
            schema,
            name,
            bool(columns[0]["is_view"]),
            str(columns[0]["object_comment"] or ""),
            tuple(Column(str(c["column_name"]), str(c["data_type"]), str(c["comment"] or "")) for c in columns),
        )
        for (schema, name), columns in found.items()
    ]


def inherit_comments(connection: DuckDBPyConnection) -> None:
    """Give a column without a comment the one that the column of the same name has where it comes from."""
    connection.execute(_DESCRIBED)
    for row in rows(connection, _INHERITED):
        comment = row["comment"].replace("'", "''")
        connection.execute(
            f'COMMENT ON COLUMN "{row["schema_name"]}"."{row["table_name"]}"."{row["column_name"]}" IS \'{comment}\''
        )


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
        parts += [f"## {title}", "", f"{'View' if item.is_view else 'Table'}. {item.comment}", ""]
        parts += ["| column | type | what it says |", "|---|---|---|"]
        parts += [f"| {c.name} | {c.type} | {c.comment.replace('|', '/')} |" for c in item.columns]
        parts.append("")
    return "\n".join(parts)
