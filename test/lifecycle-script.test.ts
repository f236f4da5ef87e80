import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** Replaces kubectl: records its calls, and responds like a cluster on which the namespace exists. */
const KUBECTL = `#!/usr/bin/env bash
echo "$*" >>"$CALLS"
case "$*" in
  api-resources*) echo virtualmachines.hypersdk.io ;;
  create\\ namespace*) echo 'namespaces "precious" already exists' >&2; exit 1 ;;
esac
`;

describe('the lifecycle test', () => {
  it('deletes no namespace that it has not created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vimana-lifecycle-'));
    const [kubectl, calls] = [join(folder, 'kubectl'), join(folder, 'calls')];
    writeFileSync(kubectl, KUBECTL);
    chmodSync(kubectl, 0o755);
    const env = { ...process.env, KUBECTL: kubectl, CALLS: calls, NAMESPACE: 'precious' };
    await expect(run('deploy/test-vm-lifecycle.sh', { env })).rejects.toMatchObject({
      stderr: expect.stringContaining('error: name a namespace that is not there yet in NAMESPACE') as string,
    });
    expect(readFileSync(calls, 'utf8')).not.toContain('delete');
  });
});
