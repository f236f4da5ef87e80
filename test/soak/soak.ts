import { VMIMS, VMIS, VMS } from '../../src/kube/kinds/machines.ts';
import { PODS } from '../../src/kube/kinds/pod.ts';
import { mischief, peace } from '../../src/testing/soak/mischief.ts';
import { type SoakWorld, startSoakWorld } from '../../src/testing/soak/soak-world.ts';

const MINUTE = 60_000;
/** How long the world is troubled, and how long it then has to come to rest. */
const TROUBLE = Number(process.env['VIMANA_SOAK_MINUTES'] ?? 60) * MINUTE;
const REST = 20 * MINUTE;

/** One life of a world: what is wrong with it at the end, with all that was done; nothing where all is well. */
export async function soak(seed: string): Promise<string[]> {
  const world = await startSoakWorld(seed);
  const story: string[] = [];
  try {
    const { clock, random } = world;
    const end = clock.now() + TROUBLE;
    await clock.advance(5000);
    while (clock.now() < end && world.machines.doubled.length === 0) {
      const at = new Date(clock.now()).toISOString().slice(11, 23);
      story.push(`${at} ${await mischief(world)}`);
      await clock.advance(random.pick([0, 20, 500, 2000, 10_000, 45_000, 90_000]));
    }
    const twice = world.machines.doubled.map((what) => `ran twice: ${what}`);
    if (twice.length > 0) return [...twice, ...story];
    await peace(world);
    await clock.advance(REST);
    const wrong = await faultsOf(world);
    return wrong.length === 0 ? [] : [...wrong, ...story];
  } finally {
    await world.stop();
  }
}

/** What does not fit together when everything has had its time. */
async function faultsOf({ admin, machines, processes }: SoakWorld): Promise<string[]> {
  const [vms, vmis, pods, migrations] = await Promise.all([
    admin.list(VMS),
    admin.list(VMIS),
    admin.list(PODS),
    admin.list(VMIMS),
  ]);
  const wrong = [
    ...machines.doubled.map((what) => `ran twice: ${what}`),
    ...processes.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`${name} failed: ${(failure as Error).message}`],
    ),
  ];
  const running = await machines.running();
  for (const { metadata, kind } of [...vms.items, ...vmis.items, ...pods.items, ...migrations.items]) {
    if (metadata.deletionTimestamp !== undefined) wrong.push(`${kind} ${metadata.name ?? ''} is still being deleted`);
  }
  for (const vm of vms.items) {
    const { name } = vm.metadata;
    const vmi = vmis.items.find(({ metadata }) => metadata.name === name);
    const state = vm.status?.printableStatus;
    const runs = running.has(`default/${name}`);
    const says = `${name} (${vm.spec.runStrategy ?? ''}): machine ${state ?? 'without status'}, instance ${vmi?.status?.phase ?? 'none'}, ${runs ? 'running' : 'not running'}`;
    if (vm.spec.runStrategy === 'Always' && !(runs && state === 'Running')) wrong.push(`lost: ${says}`);
    if (vm.spec.runStrategy === 'Halted' && (runs || vmi !== undefined)) wrong.push(`not stopped: ${says}`);
    if ((vmi?.status?.phase === 'Running') !== runs) wrong.push(`told wrong: ${says}`);
    if ((state === 'Running') !== runs) wrong.push(`told wrong: ${says}`);
  }
  for (const pod of pods.items) {
    const owner = pod.metadata.ownerReferences?.[0];
    const vmi = vmis.items.find(({ metadata }) => metadata.uid === owner?.uid);
    if (owner !== undefined && vmi === undefined) wrong.push(`pod ${pod.metadata.name ?? ''} has lost its instance`);
  }
  for (const { metadata, status } of migrations.items) {
    if (!['Succeeded', 'Failed'].includes(status?.phase ?? ''))
      wrong.push(`migration ${metadata.name} is ${status?.phase ?? 'Pending'}`);
  }
  return wrong;
}
