"""The files of deploy/ as far as they can be tried without a container engine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import dagster as dg
import yaml

from pipelines.home import CHECKOUT, Home
from pipelines.runs.instance import dagster_home

DEPLOY = CHECKOUT / "deploy"


def test_this_dagster_takes_every_setting(tmp_path: Path) -> None:
    """An unknown or misspelt key is refused when the instance is made."""
    with dg.DagsterInstance.from_config(str(dagster_home(Home(tmp_path)))) as instance:
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_retries_enabled
        assert not instance.get_settings("run_retries")["retry_on_asset_or_op_failure"]
        assert instance.get_concurrency_config().pool_config.default_pool_limit == 1


def test_two_services_share_image_and_volume_and_one_of_them_is_the_daemon() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    assert {name: service["command"][0] for name, service in services.items()} == {
        "webserver": "dagster-webserver",
        "daemon": "dagster-daemon",
    }
    assert {service["image"] for service in services.values()} == {"gpuledger"}
    assert {tuple(service["volumes"]) for service in services.values()} == {("ledger:/data",)}
    assert all(service["healthcheck"]["test"][0] == "CMD" for service in services.values())
    assert all(port.startswith("127.0.0.1:") for port in services["webserver"]["ports"])  # it has no login


def test_the_image_runs_as_a_user_of_its_own_and_copies_only_what_there_is() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    assert "USER gpuledger" in lines
    copied = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    assert all((CHECKOUT / name).exists() for name in copied)
    ignored = (CHECKOUT / ".dockerignore").read_text().splitlines()
    assert all(f"!{name}" in ignored for name in copied)


def test_a_new_volume_gets_the_settings_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    environment = os.environ | {"DAGSTER_HOME": str(tmp_path / "dagster")}
    settings = tmp_path / "dagster" / "dagster.yaml"

    def run() -> str:
        command = ["sh", str(DEPLOY / "entrypoint.sh"), "echo", "two words"]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert run() == "two words\n"
    assert settings.read_text() == (DEPLOY / "dagster.yaml").read_text()
    settings.write_text("telemetry: {enabled: false}\n")
    run()
    assert settings.read_text() == "telemetry: {enabled: false}\n"
