#!/usr/bin/env bash
# Takes one VirtualMachine of hypersdk.io through its whole life on the cluster of the current kubeconfig: template,
# create, stop, start, snapshot, clone, migrate, delete, and all of it gone. Every step waits for the condition that
# says it is done. What it makes is in a namespace of its own, which goes at the end.
#
#   deploy/test-vm-lifecycle.sh                        # needs kubectl and bash, and the operator on the cluster
#   KEEP=1 deploy/test-vm-lifecycle.sh                 # leaves everything as it is at the end, to look at
#
# NAMESPACE, which must not be there yet (a fresh one), STORAGE_CLASS (fast-ssd), TIMEOUT for each wait (120s), KUBECTL (kubectl)
set -euo pipefail

KUBECTL=${KUBECTL:-kubectl}
NAMESPACE=${NAMESPACE:-vm-lifecycle-$$-$RANDOM}
STORAGE_CLASS=${STORAGE_CLASS:-fast-ssd}
TIMEOUT=${TIMEOUT:-120s}
VM=lifecycle-vm
CLONE=lifecycle-vm-clone
TEMPLATE=lifecycle-template
SNAPSHOT=lifecycle-snapshot
# The plain word `vm` may mean the machines of another group that is on the cluster too.
MACHINES=virtualmachines.hypersdk.io

k() { "$KUBECTL" --namespace "$NAMESPACE" "$@"; }
step() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
wait_for() { k wait --timeout "$TIMEOUT" "$@"; }
field() { k get "$1" -o "jsonpath={$2}"; }

# Says what there is when a step fails, and takes away all that was made.
finish() {
  local code=$?
  if [ "$code" -ne 0 ]; then
    printf '\nFAILED. What there is, and what happened:\n' >&2
    k get "$MACHINES,vmtemplates,vmoperations,vmsnapshots,pods,pvc" -o wide >&2 || true
    k get events --sort-by=.lastTimestamp >&2 || true
  fi
  if [ -n "${KEEP:-}" ]; then
    printf '\nkept: namespace %s\n' "$NAMESPACE"
  else
    "$KUBECTL" delete namespace "$NAMESPACE" --ignore-not-found --wait=false >/dev/null || true
  fi
  exit "$code"
}

operation() { # name, kind of operation, further lines of the spec
  k apply -f - <<YAML
apiVersion: hypersdk.io/v1alpha1
kind: VMOperation
metadata:
  name: $1
spec:
  vmRef:
    name: $VM
  operation: $2
${3:-}
YAML
  # What has failed will not succeed: say why at once instead of waiting for the time to be over.
  wait_for "vmoperation/$1" --for=jsonpath='{.status.completionTime}' >/dev/null
  [ "$(field "vmoperation/$1" .status.phase)" = Succeeded ] ||
    fail "$2 has not succeeded: $(field "vmoperation/$1" .status.message)"
  wait_for "vmoperation/$1" --for=condition=Succeeded
}

[[ $("$KUBECTL" api-resources --api-group=hypersdk.io -o name) == *"$MACHINES"* ]] ||
  fail "this cluster does not serve $MACHINES: install the definitions and the operator first"
"$KUBECTL" get storageclass "$STORAGE_CLASS" >/dev/null || fail "name a storage class that there is in STORAGE_CLASS"
# What was there before must not go at the end.
"$KUBECTL" create namespace "$NAMESPACE" >/dev/null || fail "name a namespace that is not there yet in NAMESPACE"
trap finish EXIT

step "1. A template"
k apply -f - <<YAML
apiVersion: hypersdk.io/v1alpha1
kind: VMTemplate
metadata:
  name: $TEMPLATE
spec:
  displayName: Lifecycle test
  osInfo:
    type: linux
    distribution: ubuntu
    version: "22.04"
  defaultSpec:
    disks:
      - name: root
        size: 10Gi
        storageClass: $STORAGE_CLASS
  image:
    source: https://cloud-images.ubuntu.com/jammy/current/jammy-server-cloudimg-amd64.img
YAML
wait_for "vmtemplate/$TEMPLATE" --for=condition=Ready

step "2. A machine from it"
k apply -f - <<YAML
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata:
  name: $VM
spec:
  cpus: 2
  memory: 2Gi
  image:
    templateRef:
      name: $TEMPLATE
YAML
wait_for "$MACHINES/$VM" --for=condition=Ready
k get "$MACHINES" "$VM"
[ "$(field "pvc/$VM-root" .spec.storageClassName)" = "$STORAGE_CLASS" ] || fail "the disk is not of the template's class"
wait_for "vmtemplate/$TEMPLATE" --for=jsonpath='{.status.usageCount}'=1

step "3. Stopped: its disk stays"
operation stop-it stop
wait_for "$MACHINES/$VM" --for=jsonpath='{.status.phase}'=Stopped
disk=$(field "pvc/$VM-root" .metadata.uid)
wait_for pods --selector "vm=$VM" --for=delete

step "4. Started again, on the same disk"
operation start-it start
wait_for "$MACHINES/$VM" --for=condition=Ready
[ "$(field "pvc/$VM-root" .metadata.uid)" = "$disk" ] || fail "the disk is another one"

step "5. A snapshot"
k apply -f - <<YAML
apiVersion: hypersdk.io/v1alpha1
kind: VMSnapshot
metadata:
  name: $SNAPSHOT
spec:
  vmRef:
    name: $VM
  description: Before the clone
  retention:
    keepDays: 1
YAML
wait_for "vmsnapshot/$SNAPSHOT" --for=condition=Ready
k get vmsnapshot "$SNAPSHOT"

step "6. A linked clone, which runs"
operation clone-it clone "  cloneSpec:
    targetName: $CLONE
    linkedClone: true
    startAfterClone: true"
wait_for "$MACHINES/$CLONE" --for=condition=Ready
[ "$(field "$MACHINES/$VM" '.status.ipAddresses[0]')" != "$(field "$MACHINES/$CLONE" '.status.ipAddresses[0]')" ] ||
  fail "the clone has the address of the machine"

step "7. Moved to another node while it runs"
nodes=$("$KUBECTL" get nodes --no-headers -o custom-columns='CORDONED:.spec.unschedulable,TAINTS:.spec.taints[*].effect' |
  grep -cvE 'true|NoSchedule|NoExecute' || true)
if [ "$nodes" -lt 2 ]; then
  echo "skipped: there is no other node that takes machines"
else
  before=$(field "$MACHINES/$VM" .status.nodeName)
  operation move-it migrate "  migrateSpec:
    live: true"
  after=$(field vmoperation/move-it .status.result.targetNode)
  wait_for "$MACHINES/$VM" --for=jsonpath='{.status.nodeName}'="$after"
  [ "$before" != "$after" ] || fail "the machine is still on $before"
  echo "from $before to $after"
fi

step "8. Deleted, and its disks with it"
k delete vmsnapshot "$SNAPSHOT" --timeout "$TIMEOUT"
k delete "$MACHINES" "$CLONE" "$VM" --timeout "$TIMEOUT"
for each in "$VM" "$CLONE"; do
  for kind in pods pvc services; do wait_for "$kind" --selector "hypersdk.io/vm=$each" --for=delete; done
done
left=$(k get pods,pvc,services -o name)
[ -z "$left" ] || fail "this is left: $left"
wait_for "vmtemplate/$TEMPLATE" --for=jsonpath='{.status.usageCount}'=0
k delete vmtemplate "$TEMPLATE" --timeout "$TIMEOUT"

printf '\nPASSED: the whole life of a virtual machine\n'
