import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '#platform/base/errors';
import { runs } from '#testing/runs';
// Random objects of all kinds as client-go 0.36 encodes them, in protobuf (base64) and in JSON.
import pairs from './pairs.data.json' with { type: 'json' };
import { decodeProtobuf, encodeProtobuf, hasProtobuf, type ProtobufObject } from './protobuf.ts';

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const named = pairs.map(({ proto, json }) => ({
  kind: `${json.apiVersion} ${json.kind}`,
  bytes: bytesOf(proto),
  json: json as unknown as ProtobufObject,
}));

describe('a body in protobuf', () => {
  it.each(named)('of $kind is decoded to the same object as its JSON', ({ bytes, json }) => {
    expect(decodeProtobuf(bytes)).toStrictEqual(json);
  });

  it.each(named)('of $kind is decoded again after it was encoded', ({ json }) => {
    const written = encodeProtobuf(json);
    expect(written).toBeDefined();
    expect(decodeProtobuf(written ?? new Uint8Array())).toStrictEqual(json);
  });

  it('is tested for most kinds', () => {
    expect(new Set(named.map(({ kind }) => kind)).size).toBeGreaterThan(60);
  });

  it('without a type is decoded as the kind that the endpoint expects', () => {
    const body = Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, 5, 0x0a, 3, 0x0a, 1, 0x78);
    expect(decodeProtobuf(body, { apiVersion: 'v1', kind: 'ConfigMap' })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x' },
    });
  });

  it('may be DeleteOptions of any group', () => {
    const options = {
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
    };
    expect(decodeProtobuf(encodeProtobuf(options) ?? new Uint8Array())).toEqual(options);
  });

  it('is supported for built-in kinds only', () => {
    expect(hasProtobuf({ apiVersion: 'v1', kind: 'Pod' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'policy/v1', kind: 'Eviction' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })).toBe(false);
    expect(encodeProtobuf({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })).toBeUndefined();
  });
});

/** Returns a ConfigMap of the given bytes, in its envelope. */
function configMap(...raw: number[]): Uint8Array {
  const type = [0x0a, 2, 0x76, 0x31, 0x12, 9, ...new TextEncoder().encode('ConfigMap')];
  return Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, type.length, ...type, 0x12, raw.length, ...raw);
}

describe('an invalid body', () => {
  it.each([
    ['that is empty', new Uint8Array(), 'empty data'],
    [
      'without the magic prefix',
      Uint8Array.of(1, 2, 3, 4, 5),
      'provided data does not appear to be a protobuf message',
    ],
    ['with nothing after the prefix', Uint8Array.of(0x6b, 0x38, 0x73, 0), 'empty body'],
    ['that is truncated', configMap(0x0a, 3, 0x0a, 1, 0x78).subarray(0, 20), 'unexpected EOF'],
    ['with a length beyond its end', configMap(0x0a, 0x7f, 1), 'unexpected EOF'],
    ['with a string that exceeds its message', configMap(0x0a, 2, 0x0a, 9), 'unexpected EOF'],
    ['with a number instead of a message', configMap(0x08, 1), 'proto: wrong wireType = 0 for field'],
    ['with a tag of zero', configMap(0, 1), 'proto: ConfigMap: illegal tag 0 (wire type 0)'],
    ['with a group', configMap(0x1b, 0x1c), 'proto: wrong wireType = 3 for field BinaryData'],
    [
      'with an overlong varint',
      configMap(0x20, ...Array.from({ length: 11 }, () => 255), 1),
      'proto: integer overflow',
    ],
  ])('%s is rejected', (_, body, message) => {
    expect(() => decodeProtobuf(body)).toThrow(ParseError);
    expect(() => decodeProtobuf(body)).toThrow(message);
  });

  it('is rejected by its size before it is decoded', () => {
    const [pair] = named;
    expect(() => decodeProtobuf(pair?.bytes ?? new Uint8Array(), undefined, 10)).toThrow('larger than 10 bytes');
  });

  it('is rejected when it nests too deeply', () => {
    const deep = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    let schema: object = {};
    for (let i = 0; i < 1000; i++) schema = { not: schema };
    const body = encodeProtobuf({ ...deep, spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } });
    expect(() => decodeProtobuf(body ?? new Uint8Array())).toThrow('nested more than 500 levels deep');
  });

  it('has unknown fields ignored, and a key named __proto__ kept', () => {
    expect(decodeProtobuf(configMap(0x7a, 1, 0x78))).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
    const key = [...new TextEncoder().encode('__proto__')];
    const read = decodeProtobuf(configMap(0x12, 14, 0x0a, 9, ...key, 0x12, 1, 0x79));
    expect(Object.keys(read['data'] as object)).toEqual(['__proto__']);
    expect(Object.hasOwn(Object.prototype, 'y')).toBe(false);
  });

  it('with any damage is decoded or rejected with a ParseError', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(
        fc.nat({ max: named.length - 1 }),
        fc.array(change, { maxLength: 6 }),
        fc.nat(),
        (i, changes, cut) => {
          const body = Uint8Array.from(named[i]?.bytes ?? []);
          for (const { at, byte } of changes) body[at % body.length] = byte;
          try {
            decodeProtobuf(cut % 3 === 0 ? body.subarray(0, cut % body.length) : body);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});
