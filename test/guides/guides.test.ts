import { describe, expect, it } from 'vitest';
import { GUIDES } from './all.ts';
import { isAlike } from './likeness.ts';
import { stepsOf } from './steps.ts';

const GUIDE = `# Title

\`\`\`sh
# A comment.
one --flag   # why
two 'a
b' \\
  c
\`\`\`

\`\`\`text
out
\`\`\`

\`\`\`sh slow
cat <<END
three
END
\`\`\`

Words.

\`\`\`text
no output of a command
\`\`\`

| there | here |
|---|---|
| \`x\` | \`curl four \\| five\`, or \`npm six\`, no \`seven\` |

| not | this |
|---|---|
| \`x\` | \`y\` |
`;

describe('the reading of guides', () => {
  it('finds commands in blocks and tables, with the output that is shown', () => {
    expect(stepsOf(GUIDE)).toEqual([
      { command: 'one --flag   # why', line: 5, slow: false },
      { command: "two 'a\nb' \\\n  c", line: 6, slow: false, shown: 'out' },
      { command: 'cat <<END\nthree\nEND', line: 16, slow: true },
      { command: 'curl four | five', line: 29, slow: false },
      { command: 'npm six', line: 29, slow: false },
    ]);
  });

  it('reports which block the shell cannot parse', () => {
    expect(() => stepsOf('```sh\necho "\n```\n')).toThrow('line 2: the shell cannot read echo "');
  });

  it.each([
    ['vm-1  Running  kwok-node-2  12s', 'vm-1 Running   kwok-node-5   1m3s', true],
    ['vm-1  Running', 'vm-1  Failed', false],
    ['pod/virt-launcher-vm-1-abcde', 'pod/virt-launcher-vm-1-x7k2p', true],
    ['pod/virt-launcher-vm-1-abcde', 'pod/virt-launcher-vm-2-x7k2p', false],
    ['a\n…\nz', 'a\nb\nc\nz', true],
    ['a\n…\nz', 'a\nb', false],
    ['a\nb', 'a\nb\nc', false],
    ['error: … (x)', 'error: whatever it was (x)', true],
  ])('compares the shown output with the printed one: %j %j', (shown, printed, alike) => {
    expect(isAlike(shown, printed)).toBe(alike);
  });
});

it('every guide that starts an instance has its own data directory', () => {
  const starts = GUIDES.flatMap(({ name, text }) =>
    [...text.matchAll(/^(?:npm start|bin\/vimana up)\b.*$/gm)].map(([line]) => [name, line]),
  );
  expect(starts.length).toBeGreaterThan(8);
  for (const [name = '', line] of starts) {
    expect(line, name).toContain(`--data-dir ~/vimana-guides/${name.replace(/\.md$/, '')}`);
  }
});
