import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { OPERATION_UID, START_AWAY_FROM, START_ON } from '#api/operation-request';
import type { Random } from '#platform/base/random';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { isFinished, OPERATIONS, type Operation } from '#vm/controllers/operation/operation';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import type { Dialect } from '#vm/engine/dialect';

export interface OperationSoak {
  readonly machines: number;
  readonly operations: number;
  readonly kills: number;
  readonly seed: string;
}

export interface SoakAccount {
  /** Problems at the end. */
  readonly wrong: readonly string[];
  /** Number of kills of the operator. */
  readonly kills: number;
  /** Number of results of each kind of operation. */
  readonly ends: Readonly<Record<string, number>>;
}

const MINUTE = 60_000;

/**
 * Runs many operations on many VMs while the operator is killed repeatedly. All must finish, and nothing may be left
 * over.
 */
export async function operationSoak(options: OperationSoak): Promise<SoakAccount> {
  const { machines, operations, kills, seed } = options;
  const nodes = Math.max(4, Math.ceil(machines / 40));
  const world = await startOperationHarness({ dialects: ALL_DIALECTS, nodes, seed });
  const random = world.random.fork('soak');
  try {
    const targets = await makeMachines(world, random, machines);
    // The kill is at a random time of each interval, so that the number of kills is fixed.
    const stretch = Math.floor(operations / kills);
    let next = random.int(1, stretch / 2);
    for (let at = 0; at < operations; at++) {
      const { dialect, name } = random.pick(targets);
      const operation = newOperation(at, dialect, name, random);
      await world.admin.create(OPERATIONS, operation);
      // Half of the snapshots are restored.
      if (operation.spec.operation === 'snapshot' && random.next() < 0.7) at += await goBack(world, at + 1, operation);
      if (random.next() < 0.05) await cancelOne(world, random, at);
      if (at >= next && world.kills < kills) {
        next += stretch;
        await kill(world, random);
      }
      if (at % 10 === 9) await world.clock.advance(random.pick([0, 200, 1000, 3000]));
    }
    await untilOver(world);
    world.killAtWrite(0);
    await world.clock.advance(2 * MINUTE);
    return await account(world, targets);
  } finally {
    await world.stop();
  }
}

interface Target {
  readonly dialect: Dialect;
  readonly name: string;
}

async function makeMachines(world: OperationHarness, random: Random, count: number): Promise<Target[]> {
  const targets: Target[] = [];
  for (let at = 0; at < count; at++) {
    const dialect = random.pick(ALL_DIALECTS);
    const name = `vm-${at}`;
    const shutdown = random.pick(['0s', '1s', '5s']);
    if (dialect === kubevirt) await makeClaim(world, `disk-${name}`);
    await world.admin.create(resourceTypeFor(dialect.kind), {
      metadata: { name, namespace },
      spec: specFor(dialect, name, random.next() < 0.7, shutdown),
    });
    targets.push({ dialect, name });
    if (at % 50 === 49) await world.clock.advance(1000);
  }
  await world.clock.advance(30_000);
  return targets;
}

async function makeClaim(world: OperationHarness, name: string): Promise<void> {
  await world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'fast-ssd', resources: { requests: { storage: '1Gi' } } },
  });
}

function specFor({ kind }: Dialect, name: string, running: boolean, shutdown: string): object {
  const annotations = { 'vimana.io/shutdown-duration': shutdown };
  switch (kind.group) {
    case 'kubevirt.io': {
      const devices = { disks: [{ name: 'root', disk: {} }] };
      const domain = { cpu: { sockets: 1 }, memory: { guest: '1Gi' }, devices };
      const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: `disk-${name}` } }];
      return { running, template: { metadata: { annotations }, spec: { domain, volumes } } };
    }
    case 'hypersdk.io':
      return {
        cpus: 1,
        memory: '1Gi',
        running,
        annotations,
        disks: [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }],
      };
    case 'novacron.io': {
      const image = { source: 'marketplace://debian-12' };
      const volumes = [{ name: 'data', size: '1Gi', storageClass: 'fast-ssd', accessMode: 'ReadWriteMany' }];
      const resources = { cpu: 1, memory: '1Gi', disk: '1Gi' };
      return { running, template: { metadata: { annotations }, spec: { resources, image, volumes } } };
    }
    default:
      return { running, resources: { cpu: '1', memory: '1Gi' } };
  }
}

type NewOperation = Pick<Operation, 'spec'> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

function newOperation(at: number, { kind }: Dialect, vm: string, random: Random): NewOperation {
  const operation = random.pick([
    ...['start', 'stop', 'restart', 'migrate', 'resize', 'clone', 'snapshot'],
    ...['start', 'stop', 'restart', 'migrate'],
    ...(random.next() < 0.5 ? ['delete'] : []),
  ]);
  return {
    metadata: { name: `op-${at}`, namespace },
    spec: {
      vmRef: { name: vm, apiGroup: kind.group },
      operation,
      force: random.next() < 0.2,
      timeout: random.pick(['10s', '2m', '5m']),
      ...(operation === 'migrate' ? { migrateSpec: { live: random.next() < 0.6 } } : {}),
      ...(operation === 'resize' ? { resizeSpec: { cpus: random.int(1, 6), hotplug: random.next() < 0.5 } } : {}),
      ...(operation === 'clone'
        ? {
            cloneSpec: {
              targetName: `copy-${random.next() < 0.9 ? at : 0}`,
              linkedClone: random.next() < 0.5,
              startAfterClone: random.next() < 0.5,
            },
          }
        : {}),
      ...(operation === 'snapshot' ? { snapshotSpec: { name: `snap-${vm}-${random.int(0, 2)}` } } : {}),
    },
  } as NewOperation;
}

async function goBack(world: OperationHarness, at: number, { spec }: NewOperation): Promise<number> {
  await world.admin.create(OPERATIONS, {
    metadata: { name: `op-${at}`, namespace },
    spec: {
      ...spec,
      operation: 'restore',
      timeout: '5m',
      restoreSpec: { snapshotName: spec.snapshotSpec?.name ?? '' },
    },
  });
  return 1;
}

/** Kills the operator during one of its next writes, after its last restart. */
async function kill(world: OperationHarness, random: Random): Promise<void> {
  const before = world.kills;
  for (let turn = 0; turn < 100 && !world.operator.runs; turn++) await world.clock.advance(500);
  world.killAtWrite(random.int(1, 8), random.pick([100, 2000, 20_000]));
  for (let turn = 0; turn < 100 && world.kills === before; turn++) await world.clock.advance(100);
}

async function cancelOne(world: OperationHarness, random: Random, upTo: number): Promise<void> {
  const name = `op-${random.int(Math.max(0, upTo - 20), upTo)}`;
  const body = { spec: { cancel: true } };
  // A finished operation rejects the cancellation.
  await world.admin.patch(OPERATIONS, name, { type: 'merge', body }, { namespace }).catch(() => {});
}

async function untilOver(world: OperationHarness): Promise<void> {
  const end = world.clock.now() + 240 * MINUTE;
  while (world.clock.now() < end) {
    const { items } = await world.admin.list(OPERATIONS, { namespace });
    if (items.every(isFinished)) return;
    await world.clock.advance(10_000);
  }
}

async function account(world: OperationHarness, targets: readonly Target[]): Promise<SoakAccount> {
  const wrong: string[] = [];
  const { items: operations } = await world.admin.list(OPERATIONS, { namespace });
  const ends: Record<string, number> = {};
  for (const operation of operations) {
    const word = `${operation.spec.operation} ${operation.status?.phase ?? 'Pending'}`;
    ends[word] = (ends[word] ?? 0) + 1;
    wrong.push(...faultsOf(operation));
  }
  const machines = new Map<string, KubeObject>();
  for (const { kind } of ALL_DIALECTS) {
    for (const vm of (await world.admin.list(resourceTypeFor(kind), { namespace })).items) {
      machines.set(`${kind.group}/${vm.metadata.name}`, vm);
      if ([START_ON, START_AWAY_FROM].some((name) => vm.metadata.annotations?.[name] !== undefined))
        wrong.push(`${kind.group}/${vm.metadata.name} is still told where to start`);
    }
  }
  wrong.push(...lostMachines(operations, targets, machines), ...(await leftOvers(world, [...machines.values()])));
  return { wrong, ends, kills: world.kills };
}

function faultsOf({ metadata, spec, status }: Operation): string[] {
  const word = `${metadata.name} (${spec.operation} of ${spec.vmRef.apiGroup}/${spec.vmRef.name})`;
  const reason = status?.conditions?.find(({ type }) => type === 'Failed')?.reason ?? '';
  return [
    ...(status?.completionTime === undefined ? [`${word} is not over: ${JSON.stringify(status)}`] : []),
    ...(status?.phase === 'Failed' && (reason === '' || status.message === '') ? [`${word} failed for no reason`] : []),
    ...((metadata.finalizers ?? []).length > 0 ? [`${word} is still held`] : []),
  ];
}

/** Checks that exactly those VMs exist that were created and not deleted by an operation. */
function lostMachines(
  operations: readonly Operation[],
  targets: readonly Target[],
  machines: ReadonlyMap<string, KubeObject>,
): string[] {
  const wrong: string[] = [];
  const of = (vm: string, kind: string) =>
    operations.filter(({ spec }) => `${spec.vmRef.apiGroup}/${spec.vmRef.name}` === vm && spec.operation === kind);
  const expected = new Set(targets.map(({ dialect, name }) => `${dialect.kind.group}/${name}`));
  for (const vm of expected) {
    const deletions = of(vm, 'delete').map(({ status }) => status?.phase);
    if (deletions.includes('Succeeded') && machines.has(vm)) wrong.push(`${vm} was deleted, and is there`);
    if (deletions.length === 0 && !machines.has(vm)) wrong.push(`${vm} is lost`);
  }
  for (const { metadata, spec, status } of operations) {
    if (spec.operation !== 'clone') continue;
    const copy = `${spec.vmRef.apiGroup}/${spec.cloneSpec?.targetName}`;
    const uid = machines.get(copy)?.metadata.annotations?.[OPERATION_UID];
    if (status?.phase === 'Succeeded' && uid !== metadata.uid)
      wrong.push(`${copy}, the clone by ${metadata.name}, is lost`);
    if (status?.phase !== 'Succeeded' && uid === metadata.uid) wrong.push(`${copy} is left of ${metadata.name}`);
    if (uid === metadata.uid) expected.add(copy);
  }
  for (const vm of machines.keys()) if (!expected.has(vm)) wrong.push(`${vm} is nobody's`);
  return wrong;
}

/** Returns instances, pods, claims and volumes whose VM was deleted. */
async function leftOvers(world: OperationHarness, machines: readonly KubeObject[]): Promise<string[]> {
  const { items: instances } = await world.admin.list(VMIS, { namespace });
  const { items: pods } = await world.admin.list(PODS, { namespace });
  const { items: claims } = await world.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace });
  const { items: volumes } = await world.admin.list(PERSISTENT_VOLUMES);
  const uids = new Set([...machines, ...instances].map(({ metadata }) => metadata.uid));
  const orphan = ({ metadata }: KubeObject) =>
    !(metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uids.has(uid));
  const users = ({ metadata }: KubeObject) => metadata.name?.startsWith('disk-vm-') === true;
  const bound = new Set(claims.map(({ metadata }) => metadata.uid));
  return [
    ...instances.filter(orphan).map(({ metadata }) => `instance ${metadata.name} is left over`),
    ...pods.filter(orphan).map(({ metadata }) => `pod ${metadata.name} is left over`),
    ...claims
      .filter((claim) => !users(claim) && orphan(claim))
      .map(({ metadata }) => `claim ${metadata.name} is left over`),
    ...volumes
      .filter(({ spec }) => !bound.has(spec.claimRef?.uid))
      .map(({ metadata }) => `volume ${metadata.name} is left over`),
  ];
}
