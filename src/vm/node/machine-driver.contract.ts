import { describe } from 'vitest';
import type { CreateDrivers } from './machine-driver/drivers-under-test.fixture.ts';
import { endContract } from './machine-driver/end.contract.ts';
import { firstBootContract } from './machine-driver/first-boot.contract.ts';
import { hardwareContract } from './machine-driver/hardware.contract.ts';
import { migrationContract } from './machine-driver/migration.contract.ts';
import { powerContract } from './machine-driver/power.contract.ts';
import { snapshotContract } from './machine-driver/snapshot.contract.ts';

/** Tests the contract of every machine driver. */
export function machineDriverContract(name: string, create: CreateDrivers): void {
  describe(`${name} as a machine driver`, () => {
    powerContract(create);
    endContract(create);
    migrationContract(create);
    snapshotContract(create);
    hardwareContract(create);
    firstBootContract(create);
  });
}
