import { open, stat, truncate, writeFile } from 'node:fs/promises';
import { rejectedImage } from '../image-error.ts';
import { programFiles, runSandboxed, type SandboxResult } from '../sandbox/run-sandboxed.ts';
import type { ProgramFiles, SandboxLimits } from '../sandbox/sandbox-command.ts';
import { headerProblem } from './header-problem.ts';
import { FORMAT_BYTES, formatOf, type ImageFormat } from './image-format.ts';
import { assertVirtualSize, checkedInfo, type ImageInfo, type ImageLimits } from './image-info.ts';
import { qcow2Size } from './qcow2-header.ts';

/** Paths of the two files in the sandbox. */
const IN = '/image';
const OUT = '/disk';
const SECTOR = 512;
const GIB = 2 ** 30;

/** Disk that was written here, as opposed to one that somebody else made. */
export interface ConvertedImage {
  readonly format: 'qcow2' | 'raw';
  readonly virtualBytes: number;
  /** Format of the image that it comes from. */
  readonly sourceFormat: ImageFormat;
  /** The disk is the image itself, which is raw: nothing in a raw disk has a meaning to QEMU. */
  readonly inPlace: boolean;
}

/**
 * Inspects a foreign image, and converts it to a qcow2 image of our own at `target`. The image is parsed only in a
 * sandbox that sees nothing but the two files, and its format is always named, never guessed by QEMU.
 */
export async function convertImage(
  image: string,
  target: string,
  limits: ImageLimits,
  signal: AbortSignal,
): Promise<ConvertedImage> {
  const format = await checkedFormat(image, limits);
  if (format === 'raw') return await padRaw(image, limits);
  const program = await programFiles('qemu-img');
  const { virtualBytes } = await inspectImage(image, format, { program, limits }, signal);
  await writeFile(target, '', { mode: 0o600 });
  const args = ['convert', '-f', format, '-O', 'qcow2', '-o', 'compat=1.1,preallocation=off', IN, OUT];
  const files = { readable: { [IN]: image }, writable: { [OUT]: target } };
  const result = await runSandboxed({ program, args, ...files, limits: sandboxLimits(limits) }, signal);
  signal.throwIfAborted();
  if (result.status !== 0) throw rejectedImage(`qemu-img cannot convert it: ${wordsOf(result)}`);
  return { format: 'qcow2', virtualBytes, sourceFormat: format, inPlace: false };
}

/** Reads the header of an image with qemu-img in a sandbox. */
export async function inspectImage(
  image: string,
  format: ImageFormat,
  { program, limits }: { readonly program: ProgramFiles; readonly limits: ImageLimits },
  signal: AbortSignal,
): Promise<ImageInfo> {
  const args = ['info', '--output=json', '-f', format, IN];
  const request = { program, args, readable: { [IN]: image }, limits: sandboxLimits(limits) };
  const result = await runSandboxed(request, signal);
  signal.throwIfAborted();
  if (result.status !== 0) throw rejectedImage(`qemu-img cannot open it: ${wordsOf(result)}`);
  return checkedInfo(result.stdout, format, IN, limits);
}

/** Finds the format of an image, and rejects what its first bytes already show. */
async function checkedFormat(image: string, limits: ImageLimits): Promise<ImageFormat> {
  await using file = await open(image, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(FORMAT_BYTES), 0, FORMAT_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  const found = formatOf(head);
  if ('unknown' in found) throw rejectedImage(`its format is ${found.unknown}`);
  const problem = headerProblem(found.format, head);
  if (problem !== undefined) throw rejectedImage(problem);
  if (found.format === 'qcow2') assertVirtualSize(qcow2Size(head), limits);
  return found.format;
}

/** A raw disk needs no conversion, only whole sectors. */
async function padRaw(image: string, limits: ImageLimits): Promise<ConvertedImage> {
  const { size } = await stat(image);
  const virtualBytes = Math.ceil(size / SECTOR) * SECTOR;
  assertVirtualSize(virtualBytes, limits);
  await truncate(image, virtualBytes);
  return { format: 'raw', virtualBytes, sourceFormat: 'raw', inPlace: true };
}

function sandboxLimits({ fileBytes }: ImageLimits): SandboxLimits {
  return { cpuSeconds: 30 * 60, memoryBytes: 4 * GIB, fileBytes };
}

/** Returns why a program failed. What it printed is about a hostile file, so that only one line of it is passed on. */
function wordsOf({ status, signal, stderr }: SandboxResult): string {
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') return 'it took too much time or memory';
  if (signal === 'SIGXFSZ') return 'the disk is larger than allowed';
  const line = stderr.trim().split('\n').at(-1) ?? '';
  const printable = line.replace(/^qemu-img: /, '').replaceAll(/[^\x20-\x7e]/g, '?');
  return printable === '' ? `status ${status ?? signal}` : printable.slice(0, 200);
}
