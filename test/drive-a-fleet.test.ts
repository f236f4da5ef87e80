import { expect, it } from 'vitest';
import { startInMemory } from '#testing/embedded-in-memory';
import { driveFleet } from '../examples/simulation/drive-a-fleet.ts';
import { PodManager } from '../src/index.ts';

it('the example of the library runs as written', async () => {
  const embedded = await startInMemory({ dialects: ['simulation'], pools: [{ count: 3 }] });
  try {
    const said: string[] = [];
    await driveFleet(new PodManager({ client: embedded.admin }), (line) => said.push(line));
    const text = said.join('\n');
    expect(text).toMatch(/^web: \w+, 0\.15 of a node's CPU/);
    expect(text).toMatch(/\ndatabase: \w+, (0\.0875|8) of a node's CPU/);
    expect(text).toMatch(/\nweb: from kwok-node-\d to kwok-node-\d\n3 machines deleted$/);
  } finally {
    await embedded.stop();
  }
});
