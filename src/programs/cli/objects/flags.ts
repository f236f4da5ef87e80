import { Option } from 'commander';
import { durationMs } from '../duration-option.ts';
import { nonEmpty } from '../non-empty.ts';
import { VM_GROUPS } from '../vm-groups.ts';
import { FORMATS } from './output-format.ts';
import {
  checksumFlag,
  diskFlag,
  labelFlag,
  memoryFlag,
  memoryQuantityFlag,
  wholeNumber,
  wholeOrNone,
} from './size-flags.ts';

const text = (flags: string, about: string) => new Option(flags, about).argParser(nonEmpty);

/** Flags that several commands share under the same settings names. They mean the same everywhere. */
export const FLAGS = {
  vm: () => text('--vm <name>', 'name of the VM'),
  group: () => new Option('-g, --group <group>', 'API group of the VM').choices([...VM_GROUPS]),
  cpus: () => new Option('--cpus <number>', 'virtual CPUs').argParser(wholeNumber),
  memory: () => new Option('--memory <quantity>', 'memory of the guest, such as 8Gi').argParser(memoryFlag),
  template: () => text('--template <name>', 'name of the VMTemplate'),
  templateNamespace: () => text('--template-namespace <name>', 'namespace of the VMTemplate (default: that of the VM)'),
  image: () => text('--image <image>', 'address of the image'),
  checksum: () =>
    new Option('--checksum <type:digest>', 'expected digest of the image, such as sha256:…').argParser(checksumFlag),
  disk: () =>
    new Option('--disk <name=size[:class]>', 'a disk, such as root=50Gi:fast-ssd; can be repeated').argParser(diskFlag),
  userData: () => text('--user-data <file>', 'file with cloud-init user data; - reads standard input'),
  labels: () => new Option('--labels <key=value>', 'a label; can be repeated').argParser(labelFlag),
  stopped: () => new Option('--stopped', 'do not start it'),
  target: () => text('--target <name>', 'name of the new VM'),
  targetNamespace: () => text('--target-namespace <name>', 'namespace of the new VM (default: that of the source)'),
  linked: () => new Option('--linked', 'share unchanged blocks with the source instead of copying them'),
  start: () => new Option('--start', 'start the new VM'),
  snapshot: () => text('--snapshot <name>', 'name of the VMSnapshot'),
  targetNode: () => text('--target-node <name>', 'node to migrate to (default: the scheduler chooses)'),
  live: () => new Option('--no-live', 'stop the VM, and start it on the other node'),
  bandwidth: () => text('--bandwidth <rate>', 'limit for the transfer, such as 100Mbps'),
  autoConverge: () => new Option('--no-auto-converge', 'never throttle the guest to let the migration converge'),
  postCopy: () =>
    new Option('--post-copy', 'allow post-copy: switch over early, and fetch the rest of the memory afterwards'),
  hotplug: () =>
    new Option('--hotplug', 'resize the running VM; what can be hot-plugged always is, even without this flag'),
  includeMemory: () => new Option('--include-memory', 'also save memory, so that a restore resumes the guest'),
  quiesce: () => new Option('--no-quiesce', 'do not quiesce the file systems of the guest first'),
  description: () => text('--description <text>', 'description'),
  keepDays: () => new Option('--keep-days <number>', 'days until the snapshot expires').argParser(wholeNumber),
  keepCount: () =>
    new Option('--keep-count <number>', 'expire the snapshot once this many newer ones exist').argParser(wholeNumber),
  expiresAt: () => text('--expires-at <time>', 'time at which the snapshot expires, such as 2030-01-31T00:00:00Z'),
  displayName: () => text('--display-name <text>', 'display name (default: the name)'),
  templateVersion: () => text('--template-version <version>', 'version of the template, such as 1.2.0'),
  os: () => new Option('--os <type>', 'operating system family').choices(['linux', 'windows', 'other']),
  distribution: () => text('--distribution <name>', 'operating system distribution, such as ubuntu'),
  osVersion: () => text('--os-version <version>', 'operating system version, such as 22.04'),
  force: () => new Option('--force', 'do not wait for the guest to shut down'),
  timeout: () => new Option('--timeout <duration>', 'maximum duration, such as 10m').argParser(durationMs),
  ttl: () =>
    new Option('--ttl <seconds>', 'seconds after which the finished operation is deleted').argParser(wholeOrNone),
  wait: () => new Option('--wait', 'create the object, wait for it to finish, and print progress'),
  status: () => text('--status <names>', 'only VMs in one of these states, such as Running,Paused'),
  node: () => text('--node <name>', 'only VMs on this node'),
  selector: () => text('-l, --selector <labels>', 'only objects that match this label selector'),
  minCpus: () => new Option('--min-cpus <number>', 'only VMs with at least this many CPUs').argParser(wholeNumber),
  minMemory: () =>
    new Option('--min-memory <quantity>', 'only VMs with at least this much memory').argParser(memoryQuantityFlag),
  allNamespaces: () => new Option('-A, --all-namespaces', 'include all namespaces'),
  output: () => new Option('-o, --output <format>', 'output format').choices([...FORMATS]),
  watch: () => new Option('-w, --watch', 'watch for changes'),
} as const satisfies Record<string, () => Option>;

export type FlagName = keyof typeof FLAGS;
