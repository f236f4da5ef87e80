import { describe, expect, it } from 'vitest';
import { cycleViolations } from './cycles.ts';

const files = (imports: Record<string, readonly string[]>) =>
  Object.entries(imports).map(([path, specifiers]) => ({
    path,
    text: specifiers.map((specifier) => `import '${specifier}';`).join('\n'),
  }));

describe('cycles between the entries of a directory', () => {
  it('are reported once, with the imports that close them', () => {
    const found = cycleViolations(
      'programs/cli',
      files({
        'src/programs/cli/vm/list.ts': ['../objects/flags.ts'],
        'src/programs/cli/objects/flags.ts': ['#programs/cli/format'],
        'src/programs/cli/format.ts': ['#platform/base/clock', './vm/output.ts'],
      }),
    );
    expect(found).toEqual([
      'src/programs/cli: vm -> objects -> format.ts -> vm is a cycle: src/programs/cli/vm/list.ts:1, src/programs/cli/objects/flags.ts:1, src/programs/cli/format.ts:2',
    ]);
  });

  it('are found if they do not include the first entry', () => {
    const found = cycleViolations(
      'programs/cli',
      files({
        'src/programs/cli/program.ts': ['./vm/list.ts'],
        'src/programs/cli/vm/list.ts': ['../objects/flags.ts'],
        'src/programs/cli/objects/flags.ts': ['../vm/output.ts'],
      }),
    );
    expect(found).toEqual([expect.stringContaining('vm -> objects -> vm is a cycle')]);
  });

  it('do not exist inside one subdirectory, outside the directory, or through a test', () => {
    const found = cycleViolations(
      'programs/cli',
      files({
        'src/programs/cli/vm/list.ts': ['./output.ts', '../objects/flags.ts'],
        'src/programs/cli/vm/output.ts': ['./list.ts'],
        'src/programs/cli/objects/flags.test.ts': ['../vm/output.ts'],
        'src/programs/up/up.ts': ['#programs/cli/up'],
        'src/programs/cli/up.ts': ['#programs/up/up'],
      }),
    );
    expect(found).toEqual([]);
  });
});
