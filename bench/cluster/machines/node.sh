#!/bin/bash
# The machine of one node: the first process in its namespaces. It makes the root file system, brings the network up
# and plays the service manager of a real machine. Usage: node.sh NODE-FOLDER, with machine.env in it.
#
# What survives a power cut is what a disk would hold: root/ and layers/ of the folder. /run and /tmp are empty at
# each boot. The programs are those of this computer, /usr and /etc under an overlay, so that a node cannot write
# there, nor see or touch /etc/kubernetes, /var or /home of the computer itself.
set -euo pipefail
node=$1
# shellcheck source=/dev/null
. "$node/machine.env" # NODE_NAME ADDRESSES GATEWAYS KUBERNETES CRI_TOOLS PAUSE_IMAGE
root=$node/root

overlay() {
  mkdir -p "$root/$1" "$node/layers/$1" "$node/layers/.$1.work"
  mount -t overlay -o "lowerdir=/$1,upperdir=$node/layers/$1,workdir=$node/layers/.$1.work" overlay "$root/$1"
}

mount --make-rprivate /
mkdir -p "$root"
mount --bind "$root" "$root"
mkdir -p "$root"/{dev,proc,sys,run,tmp,var/lib,var/log/machine,var/tmp,opt,root,home,srv,mnt,.outside}
for directory in usr etc; do overlay $directory; done
for directory in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$directory" ]; then
    ln -sfn "$(readlink "/$directory")" "$root/$directory"
  elif [ -d "/$directory" ]; then
    overlay $directory
  fi
done
[ -e "$root/var/run" ] || ln -s /run "$root/var/run"

mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for pair in "$KUBERNETES /opt/kubernetes/bin" "$CRI_TOOLS /opt/cri-tools/bin"; do
  mkdir -p "$root${pair#* }"
  mount --bind "${pair% *}" "$root${pair#* }"
  mount -o remount,bind,ro "$root${pair#* }"
done

# A cgroup namespace makes the node's own cgroup the root that it sees.
if grep -q '^[1-9]' /proc/self/cgroup; then
  mount -t tmpfs -o mode=755 cgroup "$root/sys/fs/cgroup"
  while IFS=: read -r _ controllers _; do
    [ -n "$controllers" ] || continue
    name=${controllers#name=}
    mkdir "$root/sys/fs/cgroup/$name"
    mount -t cgroup -o "$controllers" cgroup "$root/sys/fs/cgroup/$name"
    for one in ${name//,/ }; do
      [ -e "$root/sys/fs/cgroup/$one" ] || ln -s "$name" "$root/sys/fs/cgroup/$one"
    done
  done < /proc/self/cgroup
else
  # Version 2: a cgroup that hands controllers on may have no process of its own. They are moved from outside, since
  # some of them cannot be named from in here.
  mount -t cgroup2 cgroup "$root/sys/fs/cgroup"
  while [ -n "$(cat "$root/sys/fs/cgroup/cgroup.procs")" ]; do sleep .05; done
  sed 's/\([a-z]\+\)/+\1/g' "$root/sys/fs/cgroup/cgroup.controllers" > "$root/sys/fs/cgroup/cgroup.subtree_control"
fi

cd "$root"
pivot_root . .outside
umount -l /.outside
rmdir /.outside
export PATH=/opt/kubernetes/bin:/opt/cri-tools/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
unset TMPDIR
cd /

# The kubelet sets these for the whole computer. Here it finds files of the node's own in their places; the rest of
# /proc/sys cannot be written but for the network, which belongs to the node.
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
for file in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  mkdir -p "/run/sysctl/${file%/*}"
  cat "/proc/sys/$file" > "/run/sysctl/$file"
  mount --bind "/run/sysctl/$file" "/proc/sys/$file"
done
mount --make-rshared /

hostname "$NODE_NAME"
if [ ! -f /var/lib/machine-id ]; then
  # In an overlay, this hides what the computer has there.
  rm -rf /etc/systemd/system/kubelet.service.wants /etc/kubernetes /etc/cni /etc/containerd /etc/crictl.yaml /etc/resolv.conf /etc/nftables.conf /etc/machine-id /etc/hostname
  mkdir -p /etc/kubernetes/manifests /etc/cni/net.d /etc/containerd
  tr -d - < /proc/sys/kernel/random/uuid > /etc/machine-id
  echo "$NODE_NAME" > /etc/hostname
  : > /etc/resolv.conf
  printf '127.0.0.1 localhost\n::1 localhost\n' > /etc/hosts
  for address in $ADDRESSES; do echo "${address%/*} $NODE_NAME" >> /etc/hosts; done
  echo 'runtime-endpoint: unix:///run/containerd/containerd.sock' > /etc/crictl.yaml
  # Where the capability CAP_SYS_RESOURCE is missing, runc cannot lower oom_score_adj, and no sandbox would start.
  cat > /etc/containerd/config.toml << END
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "$PAUSE_IMAGE"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
END
  cp /etc/machine-id /var/lib/machine-id
fi

ip link set lo up
until ip link show eth0 > /dev/null 2>&1; do sleep .05; done
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -f /proc/sys/net/ipv6/conf/all/forwarding ]; then echo 1 > /proc/sys/net/ipv6/conf/all/forwarding; fi
for address in $ADDRESSES; do
  case $address in
    *:*) ip address add "$address" dev eth0 nodad ;;
    *) ip address add "$address" dev eth0 ;;
  esac
done
ip link set eth0 up
for gateway in $GATEWAYS; do ip route add default via "$gateway"; done
# Both are written once the node is part of a cluster.
if [ -f /etc/nftables.conf ]; then nft -f /etc/nftables.conf; fi
if [ -f /etc/bench/routes ]; then ip -batch /etc/bench/routes; fi

# Runs what the kubelet's unit wants before it, as systemd does with Type=oneshot and Before=kubelet.service.
for unit in /etc/systemd/system/kubelet.service.wants/*.service; do
  [ -f "$unit" ] || continue
  condition=$(sed -n 's/^ConditionPathExists=//p' "$unit")
  if [ -n "$condition" ] && [ ! -e "$condition" ]; then continue; fi
  # systemd splits a command at spaces as well, and the first one that fails is the last.
  while read -r -a command; do
    "${command[@]}" < /dev/null >> /var/log/machine/units.log 2>&1 || break
  done < <(sed -n 's/^ExecStart=//p' "$unit")
done

# Restarts a service as soon as it ends, as systemd does with Restart=always. It starts when its file is there.
service() {
  local name=$1 file=$2
  shift 2
  while :; do
    if [ -f "$file" ] && [ ! -f "/run/stopped/$name" ]; then "$@" >> "/var/log/machine/$name.log" 2>&1; fi
    sleep .5
  done &
}

kubelet() {
  # shellcheck source=/dev/null
  if [ -f /var/lib/kubelet/kubeadm-flags.env ]; then . /var/lib/kubelet/kubeadm-flags.env; fi
  # The variable holds several flags, as the unit of kubeadm's package takes it.
  # shellcheck disable=SC2086
  exec /opt/kubernetes/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \
    --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml ${KUBELET_KUBEADM_ARGS:-}
}

set +e
mkdir -p /run/stopped
service containerd /etc/containerd/config.toml containerd --config /etc/containerd/config.toml
service kubelet /var/lib/kubelet/config.yaml eval '(kubelet)'
service kube-proxy /etc/bench/kube-proxy.yaml kube-proxy --config /etc/bench/kube-proxy.yaml
until ctr version > /dev/null 2>&1; do sleep .1; done
: > /run/machine-up
# The shell collects every process that has lost its parent.
while :; do sleep 3600 & wait $!; done
