import { expect, it } from 'vitest';
import { instances } from '#vm/controllers/instance/controller';
import { migrations } from '#vm/controllers/migration/controller';
import { evacuations } from '#vm/controllers/migration/evacuation';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import { AddressPool } from '#vm/engine/address-pool';
import { vmController } from '#vm/engine/controller';
import { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';

it('names each controller by one word for what it manages, for dashboards', () => {
  const machines = vmController({
    dialect: kubevirt,
    dialects: [kubevirt],
    addresses: new AddressPool(),
    throttle: new TransientStatusThrottle(),
  });
  expect([machines, instances(), migrations(), evacuations()].map(({ name }) => name)).toEqual([
    'virtualmachine.kubevirt.io',
    'virtualmachineinstance.kubevirt.io',
    'virtualmachineinstancemigration.kubevirt.io',
    'evacuation.kubevirt.io',
  ]);
});
