import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CLOUD_CONFIG_AWK } from './cloud-config-script.ts';

const directory = mkdtempSync(join(tmpdir(), 'vimana-awk-'));
afterAll(() => rmSync(directory, { recursive: true }));
const [program, config, commands] = ['program', 'config', 'commands'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
writeFileSync(program, CLOUD_CONFIG_AWK);

/** Shell functions that print what the translated script calls, each argument in angle brackets. */
const SHOW = 'show() { printf "%s" "$1"; shift; for word; do printf " <%s>" "$word"; done; echo; }\n';
const STUBS = ['authorize', 'put', 'hostname'].map((name) => `${name}() { show ${name} "$@"; }\n`).join('');

/** Translates a configuration, and runs the result with functions that only print their arguments. */
function translate(text: string): { readonly calls: string; readonly commands: string } {
  writeFileSync(config, text);
  writeFileSync(commands, '');
  const script = execFileSync('awk', ['-v', `commands=${commands}`, '-f', program, config], { encoding: 'utf8' });
  // Only the guest has a console that anybody may write to.
  const silent = script.replaceAll(' >/dev/console', '');
  const calls = execFileSync('sh', ['-c', `${SHOW}${STUBS}${silent}`], { encoding: 'utf8' });
  return { calls, commands: execFileSync('sh', [commands], { encoding: 'utf8' }) };
}

describe('the cloud-config of the demo guest', () => {
  it('sets the host name, authorizes keys and writes files', () => {
    const { calls } = translate(`#cloud-config
hostname: "front"   # quoted
ssh_authorized_keys:
- ssh-ed25519 AAAA me@host
- 'ssh-rsa BBBB'
write_files:
- path: /etc/one
  content: |
    a 'quoted' line
      indented

    last
  permissions: '0640'
-   encoding: b64
    content: aGVsbG8=
    path: /etc/two
- path: "/etc/three"
  content: |-
    no end
`);
    expect(calls).toBe(`hostname <front>
authorize <ssh-ed25519 AAAA me@host>
authorize <ssh-rsa BBBB>
put </etc/one> <0640> <> <a 'quoted' line
  indented

last
>
put </etc/two> <> <b64> <aGVsbG8=>
put </etc/three> <> <> <no end>
`);
  });

  it('runs commands that are texts, sequences and blocks, in order', () => {
    const text = `#cloud-config
runcmd:
  - echo one "two  three"
  - [printf, '%s|', "a, b", c]
  - |
    for each in x y; do
      echo $each
    done
  - echo 'it''s'
hostname: late
`;
    const translated = translate(text);
    expect(translated.commands).toBe('one two  three\na, b|c|x\ny\nits\n');
    expect(translated.calls).toBe('hostname <late>\n');
  });

  it('says what it does not support', () => {
    const { calls } = translate(
      '#cloud-config\npackages:\n  - nginx\nusers:\n  - name: x\n    ssh_authorized_keys: [a]\n',
    );
    expect(calls).toBe(
      'cloud-config: this guest does not support packages\ncloud-config: this guest does not support users\n',
    );
  });

  it('lets no text become a command by its quotes', () => {
    const line = fc.stringMatching(/^[ -~]{0,30}$/);
    fc.assert(
      fc.property(line, (text) => {
        const { calls } = translate(`ssh_authorized_keys:\n- '${text.replaceAll("'", "''")}'\n`);
        expect(calls).toBe(`authorize <${text}>\n`);
      }),
      { numRuns: 40 },
    );
    expect(readFileSync(program, 'utf8')).toBe(CLOUD_CONFIG_AWK);
  });
});
