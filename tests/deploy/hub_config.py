"""Start the hub of deploy/ for a test: anybody logs in and gets a folder under one of ours."""

import os
from pathlib import Path

c = get_config()  # noqa: F821

load_subconfig(os.environ["TEST_HUB_CONFIG"])  # noqa: F821

HOMES = Path(os.environ["TEST_HUB_HOMES"])
PORT = int(os.environ["TEST_HUB_PORT"])

c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "workshop"
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(HOMES / "{username}")
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORT + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 2}"
c.ConfigurableHTTPProxy.command = [os.environ["TEST_HUB_PROXY"]]
c.Spawner.args = [*c.Spawner.args, "--allow-root"]
c.Spawner.environment = {
    **c.Spawner.environment,
    "PYTHONPATH": os.environ["TEST_HUB_PYTHONPATH"],
}
c.JupyterHub.services = [
    *c.JupyterHub.services,
    {"name": "test", "api_token": os.environ["TEST_HUB_TOKEN"]},
]
c.JupyterHub.load_roles = [
    *c.JupyterHub.load_roles,
    {
        "name": "test",
        "services": ["test"],
        "scopes": ["admin:users", "admin:servers", "access:servers", "tokens"],
    },
]
