/** Command line, and a description of what it does. */
export type Example = readonly [line: string, meaning: string];

/** Examples in the help of commands, by the words that call the command. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  vimana: [
    ['vimana up', 'run a cluster in one process, with a demo fleet'],
    ['vimana vm list', 'list VMs of every API group'],
    ['vimana help vm create', 'show the help of a command'],
  ],
  'vimana up': [
    ['vimana up', 'five simulated nodes and a demo fleet'],
    ['vimana up --nodes 100 --zones 3 --empty', 'a larger cluster without VMs'],
    ['vimana up --ephemeral --port 0', 'another cluster beside a running one, in memory'],
    ['vimana up --dialects kubevirt', 'only kubevirt.io VMs'],
  ],
  'vimana status': [
    ['vimana status', 'the addresses of the running cluster'],
    ['vimana status -o json', 'the same for scripts'],
  ],
  'vimana backup': [['vimana backup monday.backup', 'save all objects and keys']],
  'vimana vm': [
    ['vimana vm list -A -o wide', 'all VMs, with nodes and addresses'],
    ['vimana vm create web --cpus 2 --memory 4Gi --wait', 'create a VM, and wait until it runs'],
    ['vimana vm migrate web --wait', 'live-migrate it to another node'],
    ['vimana vm describe web', 'its conditions, operations and events'],
  ],
  'vimana vm list': [
    ['vimana vm list --watch', 'show changes until Ctrl-C'],
    ['vimana vm list -A --status Running,Paused --min-memory 8Gi', 'only some VMs'],
  ],
  'vimana vm create': [
    ['vimana vm create web --cpus 2 --memory 4Gi', 'a kubevirt.io VM'],
    ['vimana vm create db -g hypersdk.io --memory 8Gi --disk root=50Gi', 'a hypersdk.io VM with a disk'],
    ['vimana vm create shop --template ubuntu-22', 'a hypersdk.io VM from a template'],
    ['vimana vm create -f web.yaml --dry-run', 'let the server validate manifests'],
  ],
  'vimana vm console': [['vimana vm console web', 'log in on the serial console; Ctrl-] disconnects']],
  'vimana vm exec': [['vimana vm exec web hostname', 'run a command through the guest agent']],
  'vimana vm ssh': [['vimana vm ssh admin@web uptime', 'run a command with ssh']],
  'vimana vm scp': [['vimana vm scp -r site web:/var/www', 'copy a directory into a VM']],
  'vimana vm port-forward': [['vimana vm port-forward web 8080:80', 'reach port 80 of a VM at 127.0.0.1:8080']],
  'vimana vm logs': [['vimana vm logs web -f', 'print the serial log, and what follows']],
  'vimana vm stop': [['vimana vm stop web db --wait', 'stop two VMs, and wait for both']],
  'vimana vm migrate': [['vimana vm migrate web --wait', 'live-migrate a VM, and wait for the result']],
  'vimana vm resize': [['vimana vm resize web --cpus 4 --memory 8Gi', 'change the size of a VM']],
  'vimana vm clone': [['vimana vm clone web web-2 --start', 'clone a VM, and start the clone']],
  'vimana snapshot': [
    ['vimana snapshot create web', 'snapshot a VM'],
    ['vimana vm restore web web-snapshot-x7k2p', 'restore it'],
  ],
  'vimana pool': [
    ['vimana pool scale workers --replicas 5', 'set the number of VMs'],
    ['vimana pool undo workers', 'go back to the previous template'],
  ],
  'vimana template': [
    ['vimana template create u --image docker://quay.io/containerdisks/ubuntu:22.04', 'add a template'],
  ],
  'vimana explain': [
    ['vimana explain vm web', 'why a VM runs where it runs, or nowhere'],
    ['vimana explain pod web-abc12 --all', 'every recorded attempt to schedule a pod'],
  ],
  'vimana carbon': [
    ['vimana carbon status -A', 'what carbon-aware VMs wait for'],
    ['vimana carbon zones --zone DE', 'the carbon intensity of a zone, with its forecast'],
  ],
  'vimana simulate': [
    ['vimana simulate --scenario examples/simulation/day.yaml', 'simulate a day in seconds'],
    ['vimana simulate --scenario day.yaml --no-rebalance --out without', 'the same without rebalancing'],
  ],
  'vimana rebalance': [
    ['vimana rebalance run --dry-run', 'show what the first step would do'],
    ['vimana rebalance run', 'rebalance until no node is overloaded'],
  ],
  'vimana validate': [
    ['vimana validate web.yaml', 'check a manifest without a cluster'],
    ['vimana validate examples', 'check all manifests of a directory'],
  ],
  'vimana crds': [['vimana crds --group kubevirt.io', 'print CRDs to apply elsewhere']],
  'vimana nodes': [['vimana nodes --count 10 --print', 'print simulated nodes for another cluster']],
  'vimana install': [
    ['vimana install --dry-run', 'show what would be installed'],
    ['vimana install', 'install CRDs, roles and the operator'],
  ],
  'vimana completion': [['vimana completion bash', 'print the completion script for bash']],
};
