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
    ['goes on alive where nothing is said', migrate(), moves(), liveMigration],
    ['stops the machine where that is asked for', migrate({ live: false }), moves(), coldMigration],
    ['stops machines of a group that knows no other way', migrate({ live: true }), moves(true), coldMigration],
    ['is alive by name where nobody looks after the group', migrate(), undefined, liveMigration],
  ])('%s', (_, operation, dialect, handler) => {
    expect(handlerFor(operation, dialect)).toBe(handler);
  });
});
