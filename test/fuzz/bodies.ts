import { stringify } from 'yaml';
import { encodeProtobuf, PROTOBUF } from '#control-plane/apiserver/protobuf/protobuf';
import type { Random } from '#platform/base/random';
import { mutated, oddValue } from './odd-values.ts';
import type { Seed } from './seeds.ts';

/** A body and its declared type. */
export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const MEBIBYTE = 2 ** 20;

/** Bodies that no well-behaved client sends, for any kind. */
const HOSTILE: readonly ((random: Random) => Body)[] = [
  () => text(JSON_TYPE, ''),
  () => text(JSON_TYPE, '{'.repeat(100_000)),
  () => text(JSON_TYPE, `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  () => text(JSON_TYPE, `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  () => text(JSON_TYPE, `{"metadata":{"name":"a"},"data":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`),
  () => text(JSON_TYPE, '{"metadata":{"name":"a","name":"b"},"metadata":{"name":"c"},"data":{"a":"1","a":"2"}}'),
  () =>
    text(
      JSON_TYPE,
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"metadata":{"__proto__":{"polluted":1}}}',
    ),
  () => text(JSON_TYPE, `{"metadata":{"generation":${'9'.repeat(400)},"name":1e400}}`),
  () => text(JSON_TYPE, '\ufeff{"metadata":{"name":"bom"}}'),
  () => ({ type: JSON_TYPE, bytes: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }),
  () => text(JSON_TYPE, '{"a":1} trailing'),
  () => text(JSON_TYPE, '{"metadata":{"name":"\\ud800"},"data":{"\\u0000":"\\udfff"}}'),
  () => text(YAML_TYPE, yamlBomb()),
  () => text(YAML_TYPE, 'a: &a [*a, *a]\n'),
  () => text(YAML_TYPE, '- - - - - - - - - - - - - - - - - -\n'.repeat(500)),
  () => text(YAML_TYPE, '['.repeat(20_000)),
  () => text(YAML_TYPE, '!!js/function "function(){}"\n'),
  () => text(YAML_TYPE, '? {a: b}\n: c\n__proto__: {polluted: 1}\n<<: {constructor: 1}\n'),
  () => text(YAML_TYPE, 'a: 1\n---\nb: 2\n'),
  () => text(YAML_TYPE, 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: 2026-01-01, labels: {a: yes, b: 0o7}}\n'),
  () => text(YAML_TYPE, `a: ${'&x '.repeat(1_000)}\n\t- bad`),
  (random) => ({ type: PROTOBUF, bytes: noise(random, random.int(0, 300)) }),
  (random) => ({ type: PROTOBUF, bytes: Buffer.concat([Buffer.from('k8s\0'), noise(random, random.int(0, 300))]) }),
  () => ({ type: PROTOBUF, bytes: Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(50_000, 0x0a)]) }),
  () => ({ type: PROTOBUF, bytes: Buffer.concat([Buffer.from('k8s\0\n'), Buffer.alloc(10, 0xff)]) }),
  (random) =>
    text(
      random.pick([
        'text/plain',
        'application/xml',
        'multipart/form-data',
        '',
        ';',
        'application/cbor',
        'application/json;charset=utf-16',
        'APPLICATION/JSON',
        'application/json-patch+json',
        'application/apply-patch+cbor',
      ]),
      '{"metadata":{"name":"x"}}',
    ),
];

/** Bodies above or near the size limit, which are too large to be drawn as often as the others. */
const LARGE: readonly ((random: Random) => Body)[] = [
  () => text(JSON_TYPE, JSON.stringify({ metadata: { name: 'large' }, data: { a: 'x'.repeat(4 * MEBIBYTE) } })),
  () => text(JSON_TYPE, `{"metadata":{"name":"large"},"data":{${'"a":"b",'.repeat(250_000)}"z":"z"}}`),
  () => text(YAML_TYPE, `a: [${'1, '.repeat(100_000)}]`),
  () => text(JSON_TYPE, `[${'{},'.repeat(900_000)}{}]`),
  () => ({ type: PROTOBUF, bytes: Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(4 * MEBIBYTE)]) }),
];

/** Returns a body for a kind: a valid one with changes, or one that matches no kind. */
export function bodyFor(random: Random, { body }: Seed): Body {
  const choice = random.next();
  if (choice < 0.002) return random.pick(LARGE)(random);
  if (choice < 0.12) return random.pick(HOSTILE)(random);
  if (choice < 0.15) return text(JSON_TYPE, JSON.stringify(oddValue(random)));
  const object = choice < 0.25 ? body : (mutated(random, body) as Seed['body']);
  if (choice < 0.65) return text(JSON_TYPE, JSON.stringify(object));
  if (choice < 0.7) return cut(random, text(JSON_TYPE, JSON.stringify(object)));
  if (choice < 0.76) return flipped(random, text(JSON_TYPE, JSON.stringify(object)));
  if (choice < 0.85) return text(YAML_TYPE, stringify(object));
  return binary(random, body);
}

/** Returns the kind in protobuf, complete, truncated or with flipped bits. */
function binary(random: Random, body: Seed['body']): Body {
  const bytes = encodeProtobuf(body as never);
  if (bytes === undefined) return text(PROTOBUF, JSON.stringify(body));
  const whole = { type: PROTOBUF, bytes: Buffer.from(bytes) };
  const choice = random.int(0, 4);
  return choice === 0 ? whole : choice === 1 ? cut(random, whole) : flipped(random, whole);
}

export function cut(random: Random, { type, bytes }: Body): Body {
  return { type, bytes: bytes.subarray(0, random.int(0, Math.max(0, bytes.length - 1))) };
}

export function flipped(random: Random, { type, bytes }: Body): Body {
  const copy = Buffer.from(bytes);
  for (let left = random.int(1, 6); left > 0 && copy.length > 0; left--) {
    const at = random.int(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 7));
  }
  return { type, bytes: copy };
}

export function text(type: string, content: string): Body {
  return { type, bytes: Buffer.from(content, 'utf8') };
}

export function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.int(0, 255)));
}

/** Nine levels of aliases, each of nine to the one before: a billion strings once expanded. */
function yamlBomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  return `kind: ConfigMap\napiVersion: v1\nl0: &l0 lol\n${levels.join('\n')}\n`;
}
