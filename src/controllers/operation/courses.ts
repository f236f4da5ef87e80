import { coldMigration } from './cold.ts';
import { type Course, fail, stays } from './course.ts';
import { liveMigration } from './migrate.ts';
import type { Operation } from './operation.ts';
import { restart, start, stop } from './power.ts';
import { removal } from './removal.ts';
import { resize } from './resize.ts';

type Kind = Operation['spec']['operation'];

/** How an operation goes. */
export function courseOf({ spec }: Operation): Course {
  if (spec.operation === 'migrate' && spec.migrateSpec?.live === false) return coldMigration;
  return COURSES[spec.operation];
}

const notYet = (kind: Kind): Course => ({
  begin: () => fail('NotSupported', `operation ${kind} is not supported yet: nothing has been changed`),
  go: () => fail('NotSupported', `operation ${kind} is not supported yet`),
  giveUp: () => stays('nothing has been changed'),
});

const COURSES: Readonly<Record<Kind, Course>> = {
  start,
  stop,
  restart,
  delete: removal,
  migrate: liveMigration,
  resize,
  snapshot: notYet('snapshot'),
  restore: notYet('restore'),
  clone: notYet('clone'),
};
