import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bootDisk } from '#vm/guest-image/boot-disk';
import { createBootLoader } from '#vm/guest-image/boot-loader';
import { unpackPackages } from '#vm/guest-image/debian-packages';

const run = promisify(execFile);
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'vimana');
/** Change the number when the contents change, so that an earlier guest is not used. */
const IMAGE = join(CACHE, 'debian-guest-1.raw');
const SUITE = 'bookworm';
const PACKAGES = [
  'linux-image-cloud-amd64',
  'cloud-init',
  'qemu-guest-agent',
  'systemd-sysv',
  'udev',
  'iproute2',
  'netbase',
];
/** The partition is an ext2 file system, in which Debian links its kernel from the root directory. */
const GRUB_MODULES = ['biosdisk', 'part_msdos', 'ext2', 'linux', 'normal', 'boot'];
const GRUB_CONFIG = `set root=(hd0,msdos1)
linux /vmlinuz root=/dev/vda1 rw console=ttyS0 quiet
initrd /initrd.img
boot
`;

/** Builds a Debian guest with cloud-init, unless the cache has it, and returns the path of its disk. */
export async function debianGuest(): Promise<string> {
  if ((await stat(IMAGE).catch(() => undefined)) !== undefined) return IMAGE;
  const directory = await mkdtemp(join(tmpdir(), 'vimana-debian-'));
  try {
    const root = join(directory, 'root.ext2');
    await run('mmdebstrap', [...OPTIONS, `--include=${PACKAGES.join()}`, SUITE, root], { maxBuffer: 1 << 26 });
    await unpackPackages(['grub-common', 'grub-pc-bin'], directory);
    const disk = bootDisk(await createBootLoader(directory, GRUB_CONFIG, GRUB_MODULES), await readFile(root));
    await mkdir(CACHE, { recursive: true });
    await writeFile(`${IMAGE}.${process.pid}`, disk);
    await rename(`${IMAGE}.${process.pid}`, IMAGE);
    return IMAGE;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A file system of the least size, with the services left out that a test does not need and that take long to start. */
const OPTIONS = [
  '--quiet',
  '--variant=minbase',
  '--format=ext2',
  '--aptopt=Acquire::Languages "none"',
  '--dpkgopt=path-exclude=/usr/share/doc/*',
  '--dpkgopt=path-exclude=/usr/share/man/*',
  '--dpkgopt=path-exclude=/usr/share/locale/*',
  '--customize-hook=echo debian >"$1"/etc/hostname',
  '--customize-hook=chroot "$1" systemctl mask apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd.service',
];
