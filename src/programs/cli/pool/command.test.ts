import { afterAll, beforeAll, expect, it } from 'vitest';
import { VM_POOLS } from '#api/novacron/resources';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';

let harness: CommandHarness;
const namespace = 'default';
beforeAll(async () => {
  harness = await startCommandHarness([{ count: 2 }], ['novacron']);
  await harness.admin.create(VM_POOLS, {
    metadata: { name: 'workers', namespace },
    spec: {
      replicas: 2,
      maxReplicas: 5,
      template: { spec: { resources: { cpu: 1, memory: '1Gi' }, image: { source: 'marketplace://debian-12' } } },
    },
  });
});
afterAll(() => harness.stop());

const run = (text: string) => harness.run(text.split(' '));
const spec = async () => (await harness.admin.get(VM_POOLS, 'workers', { namespace })).spec;

it('scales, pauses, resumes and restarts a pool', async () => {
  expect(await run('pool scale workers --replicas 3')).toMatchObject({
    code: 0,
    out: 'vmpool.novacron.io/workers scaled\n',
  });
  expect((await spec()).replicas).toBe(3);
  expect((await run('pool pause workers')).out).toBe('vmpool.novacron.io/workers paused\n');
  expect((await spec()).paused).toBe(true);
  expect((await run('pool resume workers')).code).toBe(0);
  expect((await spec()).paused).toBe(false);
  expect((await run('pool restart workers')).code).toBe(0);
  expect((await spec()).template.metadata?.annotations).toHaveProperty(['novacron.io/restartedAt']);
});

it('lists, shows and explains pools', async () => {
  expect((await run('pool list')).out).toMatch(/^NAME +DESIRED +CURRENT +READY +AGE\nworkers /);
  expect((await run('pool get workers -o name')).out).toBe('vmpool.novacron.io/workers\n');
  expect((await run('explain pool workers')).out).toContain('Bounds: at least 0, at most 5.');
  expect((await run('pool forecast workers')).out).toBe('predictive scaling is not enabled for this pool\n');
  expect((await run('pool history workers')).out).toMatch(/^REVISION +NAME +CREATED\n/);
  expect((await run('pool backtest workers')).out).toContain('a backtest needs two days of demand');
});

it.each<[string, number, string]>([
  ['pool scale workers --replicas 9', 1, 'may not be more than maxReplicas'],
  ['pool scale workers --replicas -1', 2, 'It must be a whole number of 0 or more.'],
  ['pool scale workers', 2, "required option '--replicas <count>' not specified"],
  ['pool pause none', 1, 'vmpools.novacron.io "none" not found'],
  ['pool undo workers --to-revision 99', 1, 'VMPool "default/workers" has no revision 99'],
])('%s fails', async (words, code, message) => {
  const result = await run(words);
  expect(result.code).toBe(code);
  expect(result.err).toContain(message);
});
