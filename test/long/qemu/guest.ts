import { spawnSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildGuestImage } from '#vm/guest-image/build-guest-image';
import type { GuestKind } from '#vm/node/machine-driver/drivers-under-test.fixture';

const IMAGE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'vimana', `guest-${process.pid}.raw`);
let building: Promise<string> | undefined;

/** Path of QEMU on Debian. */
export const QEMU = '/usr/bin/qemu-system-x86_64';

/** Builds the demo guest once, and returns the path of its disk. */
export function guestImage(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  await mkdir(dirname(IMAGE), { recursive: true });
  await writeFile(`${IMAGE}.tmp`, await buildGuestImage());
  await rename(`${IMAGE}.tmp`, IMAGE);
  return IMAGE;
}

/** User data that makes the guest behave as a test needs it. */
export const GUEST_SCRIPTS: Readonly<Record<GuestKind, string>> = {
  plain: '#!/bin/sh\n',
  deaf: '#!/bin/sh\nkillall acpid\n',
  leaving: '#!/bin/sh\nsleep 1; poweroff -f\n',
  crashing: '#!/bin/sh\nsleep 1; echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger\n',
  busy: '#!/bin/sh\nwhile :; do dd if=/dev/urandom of=/run/busy bs=1M count=16; done\n',
};

/** Creates a disk over an image, which stays as it is. */
export function createOverlay(image: string, file: string): void {
  const args = ['create', '-q', '-f', 'qcow2', '-b', image, '-F', 'raw', file];
  const { status, stderr } = spawnSync('qemu-img', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
