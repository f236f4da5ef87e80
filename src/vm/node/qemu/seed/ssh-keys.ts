import type { MachineSpec } from '../../machine-spec.ts';
import type { SeedContents } from './seed-contents.ts';

type Method = 'noCloud' | 'configDrive';

/** Returns the public keys that reach the guest by one kind of seed. Each value of a Secret has one key in a line. */
export function sshKeys({ accessCredentials = [] }: MachineSpec, method: Method, contents: SeedContents): string[] {
  const keys = accessCredentials.flatMap(({ sshPublicKey }) => {
    const name =
      sshPublicKey?.propagationMethod[method] === undefined ? undefined : sshPublicKey.source.secret?.secretName;
    if (name === undefined) return [];
    const entries = Object.entries(contents.entriesOf('Secret', name)).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.flatMap(([, value]) => value.toString().split('\n'));
  });
  return [...new Set(keys.map((key) => key.trim()).filter((key) => key !== '' && !key.startsWith('#')))];
}
