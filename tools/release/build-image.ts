import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { archive, installProgram, installSystem } from './image-layers.ts';
import { writeLayout } from './oci-layout.ts';
import { run } from './run.ts';

/**
 * `node tools/release/build-image.ts [DIRECTORY]` builds the image of the operator as an OCI image layout, without a
 * container engine, on a Debian or Ubuntu host. deploy/Dockerfile builds an image with the same start script elsewhere.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const out = resolve(process.argv[2] ?? join(ROOT, 'release/image'));
const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

const folder = mkdtempSync(join(tmpdir(), 'vimana-image-'));
try {
  const [system, program] = ['system', 'program'].map((name) => {
    const layer = join(folder, name);
    mkdirSync(layer);
    chmodSync(layer, 0o755);
    return layer;
  }) as [string, string];
  run(ROOT, 'npm', 'pack', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  installSystem(system, join(folder, 'packages'));
  installProgram(program, join(folder, tarball), ROOT);
  rmSync(out, { recursive: true, force: true });
  const reference = `vimana/operator:${version}`;
  const digest = writeLayout(out, {
    layers: [system, program].map(archive),
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    reference,
    config: {
      User: '65532:65532',
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production'],
      Entrypoint: ['/manager'],
      WorkingDir: '/vimana',
      // Metrics, probes, webhooks and subresources.
      ExposedPorts: { '8080/tcp': {}, '8081/tcp': {}, '9443/tcp': {} },
      Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': license },
    },
  });
  process.stdout.write(`${reference} ${digest}\n${out}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
