import { expect, it } from 'vitest';
import type { MachineSpec } from '../../machine-spec.ts';
import { withoutInlineData } from './machine-record.ts';

it('records no user data, which may contain secrets, but everything else', () => {
  const volume = {
    name: 'seed',
    cloudInitNoCloud: { userData: 'password: s3cret', networkDataBase64: 'czNjcmV0', secretRef: { name: 'keys' } },
  };
  const disk = { name: 'seed', target: 'disk', bus: 'virtio', readonly: true, volume } as const;
  const annotations = { 'kubevirt.io/ignitiondata': 's3cret', other: 'kept' };
  const recorded = withoutInlineData({ id: 'a', disks: [disk], annotations } as unknown as MachineSpec);
  expect(JSON.stringify(recorded)).not.toContain('s3cret');
  expect(JSON.stringify(recorded)).not.toContain('czNjcmV0');
  expect(recorded).toMatchObject({
    id: 'a',
    annotations: { other: 'kept' },
    disks: [{ name: 'seed', volume: { cloudInitNoCloud: { secretRef: { name: 'keys' } } } }],
  });
});
