import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

/** Debian packages that Node.js and the start script need. busybox is the shell. */
const PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'busybox-static'];

/** Commands of deploy/manager. */
const COMMANDS = ['sh', 'cat', 'ls'];

/** Parts of packages that no program reads. */
const UNUSED = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/lintian',
  'usr/share/locale',
  'usr/lib/x86_64-linux-gnu/gconv',
];

const USERS = 'root:x:0:0:root:/root:/bin/sh\nnonroot:x:65532:65532:nonroot:/tmp:/bin/sh\n';

/** Fills a directory with what a container needs besides Vimana: a C library and a shell, from packages of this host. */
export function installSystem(root: string, scratch: string): void {
  mkdirSync(scratch);
  run(scratch, 'apt-get', '-o', 'APT::Sandbox::User=root', 'download', ...PACKAGES);
  for (const name of readdirSync(scratch)) run(scratch, 'dpkg-deb', '--extract', name, root);
  for (const path of UNUSED) rmSync(join(root, path), { recursive: true, force: true });
  mkdirSync(join(root, 'bin'), { recursive: true });
  for (const name of COMMANDS) {
    if (!existsSync(join(root, 'bin', name))) symlinkSync('busybox', join(root, 'bin', name));
  }
  writeFileSync(join(root, 'etc/passwd'), USERS);
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  mkdirSync(join(root, 'tmp'), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
}

/** Installs the package of this repository, and Node.js, which comes with it. */
export function installProgram(root: string, tarball: string, repository: string): void {
  const place = join(root, 'place');
  mkdirSync(place);
  run(place, 'npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', tarball);
  const modules = join(place, 'node_modules');
  const node = readdirSync(modules).find((name) => name.startsWith('node-linux-')) ?? '';
  if (node === '') throw new Error('npm installed no Node.js: images can be built on Linux (x64 and arm64) only');
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  renameSync(join(modules, node, 'bin/node'), join(root, 'usr/local/bin/node'));
  for (const name of [node, '.bin', '.package-lock.json'])
    rmSync(join(modules, name), { recursive: true, force: true });
  renameSync(join(modules, 'vimana'), join(root, 'vimana'));
  renameSync(modules, join(root, 'vimana/node_modules'));
  rmSync(place, { recursive: true });
  cpSync(join(repository, 'deploy/manager'), join(root, 'manager'));
}

/** Returns a directory as a tar archive that depends on its content only. */
export function archive(root: string): Buffer {
  const plain = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  return run(root, 'tar', ...plain, '--mode=u+rwX,go+rX', '-cf', '-', '.');
}
