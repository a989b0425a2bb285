#!/bin/bash
# Moves itself into cgroups, then becomes the command: join-cgroups.sh DIRECTORY... -- COMMAND...
# Whatever the command starts is then found by its cgroup, also after the one who started it was killed.
set -euo pipefail
while [ "$1" != -- ]; do
  echo $$ > "$1/cgroup.procs"
  shift
done
shift
exec "$@"
