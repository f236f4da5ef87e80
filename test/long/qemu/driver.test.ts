import { afterAll, describe } from 'vitest';
import { realClock } from '#platform/base/clock';
import { hasQemu } from '#testing/programs';
import { machineDriverContract } from '#vm/node/machine-driver.contract';
import { newRoot, openDriver, removeMachines, SECRET_TEXT, seededSpec, specOf } from './drivers.ts';

describe.skipIf(!hasQemu())('real machines', () => {
  afterAll(removeMachines);

  machineDriverContract('the QEMU driver', async () => ({
    here: await openDriver(await newRoot(), { node: 'a' }),
    there: await openDriver(await newRoot(), { node: 'b' }),
    spec: specOf,
    seeded: { spec: (id) => seededSpec(id, 'cloudInitNoCloud'), output: `applied ${SECRET_TEXT} on m` },
    async until(check) {
      while (!(await check())) await realClock.sleep(100);
    },
  }));
});
