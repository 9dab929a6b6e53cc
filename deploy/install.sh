#!/usr/bin/env bash
# Install the course for a user `learner`: the one RUN of the Dockerfile, as root, in $COURSE.
set -euo pipefail
: "${COURSE:?the folder of the course}" "${VIRTUAL_ENV:?where its environment goes}"
cd "$COURSE"

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends g++ make git python3 python3-venv
apt-get clean
rm -rf /var/lib/apt/lists/*

command -v python3.12 >/dev/null && python=python3.12 || python=python3
"$python" -m venv "$VIRTUAL_ENV"
"$VIRTUAL_ENV/bin/pip" install --no-cache-dir -q -e ".[site]" jupyterhub nbgitpuller -c constraints.txt

"$VIRTUAL_ENV/bin/python" -m tools.student --to /opt
rm -rf /opt/solutions "$COURSE/notebooks/solutions" # learners can read the whole image
if ! command -v nvcc >/dev/null; then # there are no GPUs while an image is built
    ELEMENTWISE_CACHE=/opt/builds "$VIRTUAL_ENV/bin/python" -m helpers.run.prepare
fi
install -d -m 1777 /locks # ELEMENTWISE_LOCKS of compose.yaml: a new volume takes this mode
id learner >/dev/null 2>&1 || useradd --create-home --shell /bin/bash learner
