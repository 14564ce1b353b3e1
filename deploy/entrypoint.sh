#!/bin/sh
# Gives a new volume the instance's settings, then runs what was asked. A dagster.yaml that is there stays as it is.
set -eu
mkdir -p "$DAGSTER_HOME"
[ -e "$DAGSTER_HOME/dagster.yaml" ] || cp "$(dirname "$0")/dagster.yaml" "$DAGSTER_HOME/dagster.yaml"
exec "$@"
