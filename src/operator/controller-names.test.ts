import { expect, it } from 'vitest';
import { instances } from '../controllers/instance/controller.ts';
import { migrations } from '../controllers/migration/controller.ts';
import { evacuations } from '../controllers/migration/evacuation.ts';
import { kubevirt } from '../dialects/kubevirt.ts';
import { AddressPool } from '../machine/address-pool.ts';
import { machineController } from '../machine/controller.ts';
import { PassingStates } from '../machine/passing-state.ts';

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
