import { realClock } from '#platform/base/clock';
import type { JsonSchema } from '#platform/schema/json-schema';
import { compileAdapter } from '#platform/structural/cel/schema-value';
import { compileRule, ruleScope } from '#platform/structural/rule';

const TARGET = 6;
const BATCH = 20_000;
const WARM_UP = 3;
const MEASURED = 10;

const text: JsonSchema = { type: 'string', maxLength: 63 };
const fields = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, text]));
const disk: JsonSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: text, size: { type: 'integer' }, bus: text },
};
const schema: JsonSchema = {
  type: 'object',
  properties: {
    ...fields,
    cpus: { type: 'integer' },
    memory: text,
    running: { type: 'boolean' },
    strategy: text,
    labels: { type: 'object', maxProperties: 20, additionalProperties: text },
    disks: {
      type: 'array',
      maxItems: 20,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: disk,
    },
  },
};
const object = {
  ...Object.fromEntries(Object.keys(fields).map((name) => [name, `value of ${name}`])),
  cpus: 4,
  memory: '8Gi',
  running: true,
  labels: { app: 'web', tier: 'front' },
  disks: Array.from({ length: 5 }, (_, i) => ({ name: `disk-${i}`, size: 10 + i, bus: 'virtio' })),
};

/** Typical rules, from the simplest to loops. */
const RULES = [
  'has(self.cpus)',
  '!(has(self.running) && has(self.strategy))',
  'self.cpus >= 1 && self.cpus <= 64',
  "self.memory == '8Gi' || self.memory in ['4Gi', '16Gi']",
  "self.field1.startsWith('value') && self.field2.size() < 64",
  'self.cpus == oldSelf.cpus',
  'self == oldSelf',
  'self.disks.all(d, d.size > 1)',
  "self.disks.exists_one(d, d.name == 'disk-3')",
  'self.disks.all(d, self.disks.exists_one(e, e.name == d.name))',
  "self.labels.all(k, k.matches('^[a-z]+$'))",
  "quantity(self.memory).isGreaterThan(quantity('1Gi'))",
];

/** Measures the evaluation of a rule on an object of about fifty fields, and its compilation. */
export async function run(): Promise<void> {
  const scope = ruleScope(schema, false);
  if (scope === undefined) throw new Error('the schema describes nothing');
  const adapt = compileAdapter(schema, false);
  const old = structuredClone(object);
  for (const rule of RULES) {
    const { program, problem } = compileRule({ rule }, scope);
    if (program === undefined) throw new Error(`${rule}: ${problem}`);
    if (program.evaluate([adapt(object), adapt(old)]) !== true) throw new Error(`${rule} does not hold`);
    const evaluation = microseconds(BATCH, () => program.evaluate([adapt(object), adapt(old)]));
    const verdict = evaluation > TARGET ? '  above target' : '';
    console.log(`${rule.padEnd(66)} ${evaluation.toFixed(2).padStart(7)} µs${verdict}`);
  }
  const compile = microseconds(200, () => {
    for (const rule of RULES) compileRule({ rule }, scope);
  });
  console.log(`${'compiling one'.padEnd(66)} ${(compile / RULES.length).toFixed(2).padStart(7)} µs`);
  console.log(`target: at most ${TARGET} µs for an evaluation`);
}

function microseconds(batch: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < WARM_UP + MEASURED; round++) {
    const start = realClock.monotonic();
    for (let i = 0; i < batch; i++) work();
    if (round >= WARM_UP) best = Math.min(best, ((realClock.monotonic() - start) * 1_000) / batch);
  }
  return best;
}

if (import.meta.main) await run();
