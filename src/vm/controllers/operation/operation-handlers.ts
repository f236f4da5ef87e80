import type { Dialect } from '#vm/engine/dialect';
import { clone } from './clone.ts';
import { coldMigration } from './cold.ts';
import { deletion } from './deletion.ts';
import { liveMigration } from './migrate.ts';
import type { Operation } from './operation.ts';
import type { OperationHandler } from './operation-handler.ts';
import { restart, start, stop } from './power.ts';
import { resize } from './resize.ts';
import { restore } from './restore.ts';
import { snapshot } from './snapshot.ts';

type Kind = Operation['spec']['operation'];

/** Returns the handler of an operation on VMs of a dialect. */
export function handlerFor({ spec }: Operation, dialect: Dialect | undefined): OperationHandler {
  const isAlive = spec.migrateSpec?.live !== false && dialect?.migratesByRestart !== true;
  if (spec.operation === 'migrate' && !isAlive) return coldMigration;
  return HANDLERS[spec.operation];
}

const HANDLERS: Readonly<Record<Kind, OperationHandler>> = {
  start,
  stop,
  restart,
  delete: deletion,
  migrate: liveMigration,
  resize,
  snapshot,
  restore,
  clone,
};
