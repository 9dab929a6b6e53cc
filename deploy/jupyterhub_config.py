"""Configure JupyterHub for a workshop with this course: `jupyterhub -f jupyterhub_config.py`.

What a site decides is read from the environment:

    WORKSHOP_COURSE    the folder that each learner gets a copy of (build/student)
    WORKSHOP_REPOSITORY, WORKSHOP_BRANCH   a git repository in its place, and its branch
                       (default: main): nbgitpuller brings what you push at the next start
    WORKSHOP_DATA      builds, locks and marks of all learners (default: /srv/workshop)
    WORKSHOP_GPUS      the GPUs that learners are spread over, "0,1", or UUIDs of MIG slices;
                       empty: every learner works on the emulator
    WORKSHOP_MEMORY    the most memory of a learner (default: 2G); enforced by spawners that
                       can: systemdspawner, DockerSpawner, KubeSpawner
    WORKSHOP_BUILDS    how many kernels are built at once by all together (default: 2)
    WORKSHOP_IDLE      seconds until an idle server is stopped (default: 3600)
    WORKSHOP_BOARD     1: learners' marks are recorded for the board, and they are told so

Learners are the machine's users (PAM), with the Python that runs the hub, in which the course
is installed. Another way to log in, or another spawner: load this file in your own, with
`load_subconfig("jupyterhub_config.py")`, and set it below.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("WORKSHOP_DATA", "/srv/workshop")).absolute()
COURSE = Path(os.environ.get("WORKSHOP_COURSE", HERE.parent / "build" / "student")).absolute()
GPUS = [name.strip() for name in os.environ.get("WORKSHOP_GPUS", "").split(",") if name.strip()]
IDLE = os.environ.get("WORKSHOP_IDLE", "3600")
COMPILERS = ("CUDA_HOME", "CUDA_PATH", "CXX", "NVCC_PREPEND_FLAGS")

# Locks are everybody's. In marks/ a learner writes his file and cannot list the others'. The
# hub's own files are nobody else's.
FOLDERS = (("builds", 0o755), ("locks", 0o1777), ("marks", 0o3733), ("hub", 0o700))
for name, mode in FOLDERS:
    folder = DATA / name
    if not folder.exists():
        folder.mkdir(parents=True)
        folder.chmod(mode)

c.JupyterHub.db_url = f"sqlite:///{DATA / 'hub' / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(DATA / "hub" / "cookie_secret")


def closed(path):
    """Return the first folder above a path that others than its owner may not enter."""
    folders = [folder for folder in reversed(path.parents) if folder.exists()]
    return next((folder for folder in folders if not folder.stat().st_mode & 0o001), None)


for needed in (Path(sys.executable).resolve(), HERE, COURSE):
    if place := closed(needed):
        print(
            f"learners cannot reach {needed}, as {place} is closed to them: their servers will "
            "not start. Put it elsewhere, or open that folder (chmod o+x)",
            file=sys.stderr,
        )

# JupyterHub 5 and later let nobody in who is not named: here whoever has an account, but root.
c.Authenticator.allow_all = True
c.Authenticator.blocked_users = {"root"}

# A class arrives at once, and whom this limit refuses sees an error page: let all wait.
c.JupyterHub.concurrent_spawn_limit = 100
c.JupyterHub.cleanup_servers = True
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "services": ["idle-culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}"],
    }
]

c.Spawner.cmd = [sys.executable, str(HERE / "start_server.py")]
c.Spawner.default_url = "/lab/tree/course/README.md"
c.Spawner.http_timeout = c.Spawner.start_timeout = 180
c.Spawner.mem_limit = os.environ.get("WORKSHOP_MEMORY", "2G")
c.Spawner.args = [
    f"--MappingKernelManager.cull_idle_timeout={IDLE}",
    "--MappingKernelManager.cull_interval=60",
    "--MappingKernelManager.cull_connected=True",
]
c.Spawner.environment = {
    "WORKSHOP_COURSE": str(COURSE),
    "WORKSHOP_REPOSITORY": os.environ.get("WORKSHOP_REPOSITORY", ""),
    "WORKSHOP_BRANCH": os.environ.get("WORKSHOP_BRANCH", "main"),
    "ELEMENTWISE_CACHE": str(DATA / "builds"),
    "ELEMENTWISE_LOCKS": str(DATA / "locks"),
    "ELEMENTWISE_BUILDS": os.environ.get("WORKSHOP_BUILDS", "2"),
    # What the builds that `make prepare` made depend on.
    **{name: os.environ[name] for name in COMPILERS if name in os.environ},
}


def own_variables(spawner):
    """Give a learner a GPU by his number, or the emulator; and his name to the board."""
    if GPUS:
        number = spawner.user.orm_user.id - 1
        spawner.environment["CUDA_VISIBLE_DEVICES"] = GPUS[number % len(GPUS)]
    else:
        spawner.environment |= {"ELEMENTWISE_MACHINE": "emulator", "CUDA_VISIBLE_DEVICES": ""}
    if os.environ.get("WORKSHOP_BOARD") == "1":
        spawner.environment["ELEMENTWISE_MARKS"] = str(DATA / "marks")
        spawner.environment["ELEMENTWISE_LEARNER"] = spawner.user.name


c.Spawner.pre_spawn_hook = own_variables
