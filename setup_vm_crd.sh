#!/usr/bin/env bash
# Installs the VirtualMachine CRD of simulation.node-classifier.io on the cluster of the current kubeconfig, and waits until
# it is served. On request, it also creates simulated nodes and example VMs. A second run changes nothing.
#
#   ./setup_vm_crd.sh                      # asks about nodes and VMs on a terminal, and creates none otherwise
#   ./setup_vm_crd.sh --nodes --examples   # creates both without asking
#
# `bin/vimana install --dialects simulation` also installs what an operator on this cluster needs.
set -euo pipefail
cd "$(dirname "$0")"

CRD=virtualmachines.simulation.node-classifier.io
NODES=ask
EXAMPLES=ask

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

for flag in "$@"; do
  case "$flag" in
    --nodes) NODES=yes ;;
    --examples) EXAMPLES=yes ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unknown flag $flag: use --nodes, --examples or --help" ;;
  esac
done

confirm() {
  [ "$1" = yes ] && return 0
  [ -t 0 ] || return 1
  read -r -p "$2 [y/N] " answer
  [[ "$answer" =~ ^[Yy] ]]
}

command -v kubectl >/dev/null || fail 'kubectl not found: install it from https://kubernetes.io/docs/tasks/tools'
kubectl version >/dev/null 2>&1 || fail 'no cluster responds: start one with "npm start", or set KUBECONFIG'

if kubectl get crd "$CRD" >/dev/null 2>&1; then
  echo "CRD $CRD is already installed"
else
  kubectl apply -f k8s/virtualmachine-crd.yaml
fi
kubectl wait --for=condition=Established "crd/$CRD" --timeout=60s

if confirm "$NODES" 'Create simulated nodes for KWOK?'; then
  kubectl apply -f k8s/kwok-nodes.yaml
fi
if confirm "$EXAMPLES" 'Create example VMs?'; then
  kubectl apply -f k8s/example-vms.yaml
fi

cat <<'NEXT'

Next:
  kubectl get nodes -l type=kwok                # simulated nodes
  kubectl apply -f k8s/example-vms.yaml         # example VMs
  kubectl get vm -w                             # their phases and nodes
VMs run once an operator manages them: "npm start" has one, and docs/guides/on-a-cluster.md installs one on a cluster.
NEXT
