import { describe, expect, it } from 'vitest';
import type { Dialect } from '#vm/engine/dialect';
import { coldMigration } from './cold.ts';
import { liveMigration } from './migrate.ts';
import type { Operation } from './operation.ts';
import { handlerFor } from './operation-handlers.ts';

const migrate = (migrateSpec?: object) => ({ spec: { operation: 'migrate', migrateSpec } }) as unknown as Operation;
const moves = (migratesByRestart?: true) => ({ migratesByRestart }) as unknown as Dialect;

describe('the steps of a migration', () => {
  it.each([
    ['are those of a live migration by default', migrate(), moves(), liveMigration],
    ['stop the VM on request', migrate({ live: false }), moves(), coldMigration],
    ['stop a VM whose group has no live migration', migrate({ live: true }), moves(true), coldMigration],
    ['are those of a live migration if the group is not managed', migrate(), undefined, liveMigration],
  ])('%s', (_, operation, dialect, handler) => {
    expect(handlerFor(operation, dialect)).toBe(handler);
  });
});
