import { afterEach, beforeEach, expect, it } from 'vitest';
import { RESTORE_ANNOTATION, RESTORED_ANNOTATION } from '#api/disk/request';
import { VMS } from '#api/kubevirt/resources';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';

let harness: VmHarness;
beforeEach(async () => {
  harness = await startVmHarness();
  harness.control();
});
afterEach(() => harness.stop());

const annotate = async (annotations: Record<string, string>) => {
  await harness.admin.patch(
    VMS,
    'web',
    { type: 'merge', body: { metadata: { annotations } } },
    { namespace: 'default' },
  );
};

it('a VM is not started while its disks are restored, and reports that', async () => {
  await harness.make('web', { runStrategy: 'Halted' });
  await annotate({ [RESTORE_ANNOTATION]: JSON.stringify({ snapshot: 's', uid: 'op' }) });
  await harness.edit('web', { runStrategy: 'Always' });
  await harness.until(async () => (await harness.condition('Failure'))?.reason === 'Restoring');
  expect(await harness.instance('web')).toBeUndefined();
  await annotate({ [RESTORED_ANNOTATION]: 'op' });
  await harness.untilMade();
});
