import { expect, it } from 'vitest';
import { instances } from '#vm/controllers/instance/controller';
import { migrations } from '#vm/controllers/migration/controller';
import { evacuations } from '#vm/controllers/migration/evacuation';
import { kubevirt } from '#vm/dialects/kubevirt';
import { AddressPool } from '#vm/engine/address-pool';
import { machineController } from '#vm/engine/controller';
import { PassingStates } from '#vm/engine/passing-state';

it('names controllers as dashboards tell them apart: in one word, by what they look after', () => {
  const machines = machineController({
    dialect: kubevirt,
    dialects: [kubevirt],
    addresses: new AddressPool(),
    passing: new PassingStates(),
  });
  expect([machines, instances(), migrations(), evacuations()].map(({ name }) => name)).toEqual([
    'virtualmachine.kubevirt.io',
    'virtualmachineinstance.kubevirt.io',
    'virtualmachineinstancemigration.kubevirt.io',
    'evacuation.kubevirt.io',
  ]);
});
