import { expect, it } from 'vitest';
import { withInstalledPaths } from './installed-paths.ts';

const TEXT = 'bin/vimana validate examples  # kubectl apply -f examples/kubevirt/vm.yaml';

it('keeps suggestions unchanged in a clone', () => {
  expect(withInstalledPaths(TEXT)).toBe(TEXT);
});

it('names the command in PATH and the examples of an installed package', () => {
  expect(withInstalledPaths(TEXT, '/opt/vimana')).toBe(
    'vimana validate /opt/vimana/examples  # kubectl apply -f /opt/vimana/examples/kubevirt/vm.yaml',
  );
});
