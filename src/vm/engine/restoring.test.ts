import { afterEach, beforeEach, expect, it } from 'vitest';
import { RESTORE_ANNOTATION, RESTORED_ANNOTATION } from '#api/disk/request';
import { VMS } from '#api/kubevirt/resources';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';

let world: VmHarness;
beforeEach(async () => {
  world = await startVmHarness();
  world.control();
});
afterEach(() => world.stop());

const annotate = async (annotations: Record<string, string>) => {
  await world.admin.patch(VMS, 'web', { type: 'merge', body: { metadata: { annotations } } }, { namespace: 'default' });
};

it('a machine is not started while its disks are restored, and says so', async () => {
  await world.make('web', { runStrategy: 'Halted' });
  await annotate({ [RESTORE_ANNOTATION]: JSON.stringify({ snapshot: 's', uid: 'op' }) });
  await world.edit('web', { runStrategy: 'Always' });
  await world.until(async () => (await world.condition('Failure'))?.reason === 'Restoring');
  expect(await world.instance('web')).toBeUndefined();
  await annotate({ [RESTORED_ANNOTATION]: 'op' });
  await world.untilMade();
});
