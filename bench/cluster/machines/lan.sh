#!/bin/bash
# The network that the nodes of one bench share, and what stands in it outside of them: a bridge in a network
# namespace of its own, and the load balancer. It is the first process of a PID namespace that holds all nodes, so
# that nothing outlives it. Usage: lan.sh LAN-FOLDER, with lan.env in it.
set -uo pipefail
lan=$1
# shellcheck source=/dev/null
. "$lan/lan.env" # ADDRESSES

mount --make-rprivate /
mount -t proc proc /proc
ip link set lo up
ip link add lan type bridge
for address in $ADDRESSES; do
  case $address in
    *:*) ip address add "$address" dev lan nodad ;;
    *) ip address add "$address" dev lan ;;
  esac
done
ip link set lan up
: > "$lan/up"

# The file comes when the addresses of the API servers are known, if there are several.
while :; do
  if [ -f "$lan/haproxy.cfg" ]; then haproxy -W -db -f "$lan/haproxy.cfg" >> "$lan/haproxy.log" 2>&1; fi
  sleep .2
done
