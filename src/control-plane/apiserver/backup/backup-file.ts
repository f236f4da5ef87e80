import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import { ConfigError, VimanaError } from '#platform/base/errors';

/**
 * A backup is a file with a header line, followed by lines of JSON, compressed and, if requested, encrypted by
 * AES-256-GCM with a key that scrypt derives from a passphrase. The last line has the hash of all before it.
 */
const FORMAT = 'vimana-backup/1';
const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const MAX_HEADER_BYTES = 4096;
/** Cost of trying one passphrase: 128 MiB of memory, and some tenths of a second. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
const SCRYPT_MEMORY = 256 * 1024 * 1024;

interface Encryption {
  readonly cipher: string;
  readonly kdf: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly iv: string;
}

interface Header {
  readonly format: string;
  readonly takenAt: string;
  readonly encryption?: Encryption;
}

interface WriteOptions {
  readonly takenAt: string;
  readonly passphrase?: string;
}

/**
 * Writes a backup that only its owner can read. An existing file is never touched, and a failed backup leaves nothing
 * behind.
 */
export async function writeBackup(path: string, lines: Iterable<object>, options: WriteOptions): Promise<void> {
  const { takenAt, passphrase } = options;
  const encryption = passphrase === undefined ? undefined : newEncryption();
  const header = `${JSON.stringify({ format: FORMAT, takenAt, ...(encryption && { encryption }) } satisfies Header)}\n`;
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new ConfigError(`${path} already exists and is not overwritten`, {
      cause,
      hint: 'Choose another file.',
    });
  }
  try {
    const file = createWriteStream(path, { fd, autoClose: false });
    file.write(header);
    const cipher =
      encryption === undefined
        ? undefined
        : createCipheriv(CIPHER, keyOf(passphrase ?? '', encryption), Buffer.from(encryption.iv, 'base64'));
    cipher?.setAAD(Buffer.from(header));
    const steps: Transform[] = [createGzip({ level: 1 }), ...(cipher === undefined ? [] : [cipher as Transform])];
    await pipeline([Readable.from(textOf(header, lines)), ...steps, file]);
    if (cipher !== undefined) await append(path, cipher.getAuthTag());
    fsyncSync(fd);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads all lines of a backup, and reports their number so far. Rejects with the cause if they are not exactly those
 * that were written.
 */
export async function readBackup(
  path: string,
  passphrase: string | undefined,
  report: (lines: number) => void = () => {},
): Promise<{ takenAt: string; lines: object[] }> {
  const { header, text } = readHeader(path);
  const { encryption } = header;
  if (encryption !== undefined && passphrase === undefined) {
    throw new ConfigError(`the backup ${path} is encrypted`, {
      hint: 'Set the file with its passphrase: --passphrase-file FILE',
    });
  }
  const start = Buffer.byteLength(text);
  const end = statSync(path).size - (encryption === undefined ? 0 : TAG_BYTES);
  if (end <= start) throw unreadableError(path, 'it is truncated');
  const content = createReadStream(path, { start, end: end - 1 });
  const decipher = encryption === undefined ? undefined : decipherOf(path, encryption, passphrase ?? '', text, end);
  const lines: object[] = [];
  const hash = createHash('sha256').update(text);
  let sum: string | undefined;
  const take = (line: string): void => {
    const read = JSON.parse(line) as { readonly sha256?: string };
    if (sum !== undefined) throw new Error('there is data after its last line');
    if (read.sha256 === undefined) {
      hash.update(`${line}\n`);
      report(lines.push(read));
    } else sum = read.sha256;
  };
  try {
    const steps: Transform[] = [...(decipher === undefined ? [] : [decipher as Transform]), createGunzip()];
    await pipeline([content, ...steps, (text: AsyncIterable<Buffer>) => eachLine(text, take)]);
  } catch (cause) {
    const why =
      encryption === undefined ? (cause as Error).message : 'the passphrase is wrong, or the file was modified';
    throw unreadableError(path, why, cause);
  }
  if (sum === undefined) throw unreadableError(path, 'its last line is missing');
  if (sum !== hash.digest('hex')) throw unreadableError(path, 'its checksum does not match');
  return { takenAt: header.takenAt, lines };
}

function* textOf(header: string, lines: Iterable<object>): Generator<string> {
  const hash = createHash('sha256').update(header);
  for (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    yield text;
  }
  yield `${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

async function eachLine(chunks: AsyncIterable<Buffer>, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) take(line);
  }
  if (rest !== '') throw new Error('its last line is truncated');
}

function newEncryption(): Encryption {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64');
  return { cipher: CIPHER, kdf: 'scrypt', ...SCRYPT, salt: base64(16), iv: base64(12) };
}

function keyOf(passphrase: string, { N, r, p, salt }: Encryption): Buffer {
  return scryptSync(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, { N, r, p, maxmem: SCRYPT_MEMORY });
}

function decipherOf(path: string, encryption: Encryption, passphrase: string, header: string, end: number) {
  const { cipher, kdf, N, r, p, iv } = encryption;
  if (cipher !== CIPHER || kdf !== 'scrypt' || N > SCRYPT.N || r > SCRYPT.r || p > SCRYPT.p) {
    throw unreadableError(path, `its encryption (${cipher}, ${kdf}) is not supported by this version`);
  }
  const tag = Buffer.alloc(TAG_BYTES);
  const fd = openSync(path, 'r');
  readSync(fd, tag, 0, TAG_BYTES, end);
  closeSync(fd);
  const decipher = createDecipheriv(CIPHER, keyOf(passphrase, encryption), Buffer.from(iv, 'base64'), {
    authTagLength: TAG_BYTES,
  });
  return decipher.setAAD(Buffer.from(header)).setAuthTag(tag);
}

function readHeader(path: string): { header: Header; text: string } {
  const bytes = Buffer.alloc(MAX_HEADER_BYTES);
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (cause) {
    throw unreadableError(path, (cause as Error).message, cause);
  }
  const length = readSync(fd, bytes, 0, MAX_HEADER_BYTES, 0);
  closeSync(fd);
  const lineEnd = bytes.subarray(0, length).indexOf('\n');
  const text = bytes.toString('utf8', 0, lineEnd + 1);
  let header: Header | undefined;
  try {
    header = JSON.parse(text) as Header;
  } catch {
    // This is reported below.
  }
  if (header?.format !== FORMAT) throw unreadableError(path, `it is not a backup of format ${FORMAT}`);
  return { header, text };
}

async function append(path: string, bytes: Buffer): Promise<void> {
  await pipeline(Readable.from([bytes]), createWriteStream(path, { flags: 'a' }));
}

function unreadableError(path: string, why: string, cause?: unknown): VimanaError {
  return new VimanaError('BACKUP_UNREADABLE', `the backup ${path} cannot be read: ${why}`, {
    cause,
    hint: 'Nothing was changed. Use another backup.',
  });
}
