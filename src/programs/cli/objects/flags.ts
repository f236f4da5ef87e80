import { Option } from 'commander';
import { durationMs } from '../duration-option.ts';
import { nonEmpty } from '../non-empty.ts';
import { VM_GROUPS } from '../vm-groups.ts';
import { FORMATS } from './output-format.ts';
import { checksumFlag, diskFlag, labelFlag, quantityFlag, wholeNumber, wholeOrNone } from './size-flags.ts';

const text = (flags: string, about: string) => new Option(flags, about).argParser(nonEmpty);

/** Flags that several commands share under the same settings names. They mean the same everywhere. */
export const FLAGS = {
  vm: () => text('--vm <name>', 'the machine'),
  group: () => new Option('-g, --group <group>', 'API group of the machine').choices([...VM_GROUPS]),
  cpus: () => new Option('--cpus <number>', 'virtual CPUs').argParser(wholeNumber),
  memory: () => text('--memory <quantity>', 'memory of the guest, such as 8Gi'),
  template: () => text('--template <name>', 'the VMTemplate'),
  templateNamespace: () => text('--template-namespace <name>', 'namespace of the VMTemplate; the own one where absent'),
  image: () => text('--image <image>', 'where the image lies'),
  checksum: () =>
    new Option('--checksum <type:digest>', 'digest that the image must have, as sha256:…').argParser(checksumFlag),
  disk: () =>
    new Option('--disk <name=size[:class]>', 'a disk, as root=50Gi:fast-ssd; may be said again').argParser(diskFlag),
  userData: () => text('--user-data <file>', 'text for cloud-init; - is standard input'),
  labels: () => new Option('--labels <key=value>', 'a label; may be said again').argParser(labelFlag),
  stopped: () => new Option('--stopped', 'do not start it'),
  target: () => text('--target <name>', 'name of the new machine'),
  targetNamespace: () =>
    text('--target-namespace <name>', 'namespace of the new machine; that of the source where absent'),
  linked: () => new Option('--linked', 'share unchanged blocks with the source instead of copying them'),
  start: () => new Option('--start', 'start the new machine at once'),
  snapshot: () => text('--snapshot <name>', 'the VMSnapshot'),
  targetNode: () => text('--target-node <name>', 'node to move to; the scheduler decides where absent'),
  live: () => new Option('--no-live', 'stop the machine, and start it on the other node'),
  bandwidth: () => text('--bandwidth <rate>', 'limit for the transfer, as 100Mbps'),
  autoConverge: () => new Option('--no-auto-converge', 'never slow the guest down'),
  postCopy: () => new Option('--post-copy', 'let it switch over early and fetch the rest of its memory afterwards'),
  hotplug: () =>
    new Option('--hotplug', 'say that the running machine is meant; it gets what it can while it runs in any case'),
  includeMemory: () => new Option('--include-memory', 'save memory too, so that a restore resumes where it was'),
  quiesce: () => new Option('--no-quiesce', 'do not have the guest flush its file systems first'),
  description: () => text('--description <text>', 'what it is for'),
  keepDays: () => new Option('--keep-days <number>', 'days after which it expires').argParser(wholeNumber),
  keepCount: () => new Option('--keep-count <number>', 'snapshots of this machine to keep').argParser(wholeNumber),
  expiresAt: () => text('--expires-at <time>', 'when it expires, as 2030-01-31T00:00:00Z'),
  displayName: () => text('--display-name <text>', 'name for people; the name itself where absent'),
  templateVersion: () => text('--template-version <version>', 'version of the template, as 1.2.0'),
  os: () => new Option('--os <type>', 'family of the operating system').choices(['linux', 'windows', 'other']),
  distribution: () => text('--distribution <name>', 'distribution of the operating system, as ubuntu'),
  osVersion: () => text('--os-version <version>', 'version of the operating system, as 22.04'),
  force: () => new Option('--force', 'do not ask the guest'),
  timeout: () => new Option('--timeout <duration>', 'how long it may take, as 10m').argParser(durationMs),
  ttl: () => new Option('--ttl <seconds>', 'delete the finished operation after this').argParser(wholeOrNone),
  wait: () => new Option('--wait', 'do it at once, and follow it to its end'),
  status: () => text('--status <names>', 'only machines in one of these states, as Running,Paused'),
  node: () => text('--node <name>', 'only machines on this node'),
  selector: () => text('-l, --selector <labels>', 'only those with these labels'),
  minCpus: () => new Option('--min-cpus <number>', 'only machines with so many CPUs or more').argParser(wholeNumber),
  minMemory: () =>
    new Option('--min-memory <quantity>', 'only machines with so much memory or more').argParser(quantityFlag),
  allNamespaces: () => new Option('-A, --all-namespaces', 'of all namespaces'),
  output: () => new Option('-o, --output <format>', 'how to print').choices([...FORMATS]),
  watch: () => new Option('-w, --watch', 'go on, and print each change'),
} as const satisfies Record<string, () => Option>;

export type FlagName = keyof typeof FLAGS;
