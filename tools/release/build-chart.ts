import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findAsset } from '../../test/cluster/assets.ts';
import { run } from './run.ts';

/**
 * `node tools/release/build-chart.ts [REGISTRY] [--image REPOSITORY] [--plain-http] [--destination DIRECTORY]`
 * packages the Helm chart into release/, for an image in another place if there is one, and pushes it to an OCI registry such as
 * oci://ghcr.io/OWNER/charts.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const CHART = 'deploy/helm/vimana';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    image: { type: 'string' },
    destination: { type: 'string', default: join(ROOT, 'release') },
    'plain-http': { type: 'boolean', default: false },
  },
});
const [registry] = positionals;
const helm = findAsset('helm');
if (helm === undefined) {
  process.stderr.write('there is no helm in PATH: node test/cluster/build-assets.ts helm builds it\n');
  process.exitCode = 1;
} else {
  const out = resolve(values.destination);
  mkdirSync(out, { recursive: true });
  const copy = mkdtempSync(join(tmpdir(), 'vimana-chart-'));
  const chart = join(copy, 'vimana');
  cpSync(join(ROOT, CHART), chart, { recursive: true });
  if (values.image !== undefined) setImage(join(chart, 'values.yaml'), values.image);
  const said = run(ROOT, helm, 'package', chart, '--destination', out).toString();
  rmSync(copy, { recursive: true });
  process.stdout.write(said);
  const [, file = ''] = /saved it to: (\S+)/.exec(said) ?? [];
  if (registry !== undefined) {
    const flags = values['plain-http'] ? ['--plain-http'] : [];
    process.exitCode = spawnSync(helm, ['push', file, registry, ...flags], { stdio: 'inherit' }).status ?? 1;
  }
}

/** Replaces the default repository of the operator's image. */
function setImage(file: string, repository: string): void {
  const given = readFileSync(file, 'utf8');
  const changed = given.replace('repository: vimana/operator', `repository: ${repository}`);
  if (changed === given) throw new Error(`${file} names no repository vimana/operator`);
  writeFileSync(file, changed);
}
