import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineKind, type InputOf, type ObjectOf } from './kind.ts';
import {
  boolean,
  choice,
  dateTime,
  integer,
  list,
  map,
  type OutputOf,
  object,
  quantity,
  requiredField,
  type SchemaInputOf as SchemaInput,
  string,
} from './schema.ts';

const spec = object('A machine.', {
  cpus: requiredField(integer('CPUs.', { minimum: 1 })),
  running: boolean('Power.', { default: true }),
  disks: list('Disks.', object('A disk.', { name: requiredField(string('Name.')), size: quantity('Size.') }), {
    keys: ['name'],
  }),
  labels: map('Labels.', string('A value.')),
  tier: choice('Tier.', ['hot', 'cold'], { default: 'hot' }),
  until: dateTime('End.', { nullable: true }),
});

describe('a schema', () => {
  it('is the JSON schema of the CRD', () => {
    expect(spec.json).toEqual({
      type: 'object',
      description: 'A machine.',
      required: ['cpus'],
      properties: {
        cpus: { type: 'integer', description: 'CPUs.', minimum: 1 },
        running: { type: 'boolean', description: 'Power.', default: true },
        disks: {
          type: 'array',
          description: 'Disks.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            description: 'A disk.',
            required: ['name'],
            properties: {
              name: { type: 'string', description: 'Name.' },
              size: expect.objectContaining({ description: 'Size.', 'x-kubernetes-int-or-string': true }),
            },
          },
        },
        labels: {
          type: 'object',
          description: 'Labels.',
          additionalProperties: { type: 'string', description: 'A value.' },
        },
        tier: { type: 'string', description: 'Tier.', enum: ['hot', 'cold'], default: 'hot' },
        until: { type: 'string', description: 'End.', format: 'date-time', nullable: true },
      },
    });
  });

  it('omits empty properties, since servers drop them', () => {
    expect(object('A marker.', {}).json).toEqual({ type: 'object', description: 'A marker.' });
  });

  it('is the type of what a reader gets, and of what a user may write', () => {
    interface Disk {
      readonly name: string;
      readonly size?: string | number;
    }
    expectTypeOf<OutputOf<typeof spec>>().toEqualTypeOf<{
      readonly cpus: number;
      readonly running: boolean;
      readonly tier: 'hot' | 'cold';
      readonly disks?: readonly Disk[];
      readonly labels?: Readonly<Record<string, string>>;
      readonly until?: string | null;
    }>();
    expectTypeOf<SchemaInput<typeof spec>>().toEqualTypeOf<{
      readonly cpus: number;
      readonly running?: boolean;
      readonly tier?: 'hot' | 'cold';
      readonly disks?: readonly Disk[];
      readonly labels?: Readonly<Record<string, string>>;
      readonly until?: string | null;
    }>();
  });
});

describe('a kind', () => {
  const machine = defineKind({
    group: 'hypersdk.io',
    versions: ['v1', 'v1beta1'],
    kind: 'Machine',
    plural: 'machines',
    shortNames: ['m'],
    description: 'A machine.',
    spec,
    status: object('What is.', { phase: choice('Phase.', ['Off', 'On']) }),
    columns: [],
    example: { name: 'one', spec: { cpus: 1 } },
  });

  it('has its names and the schema of the whole object', () => {
    expect(machine).toMatchObject({ singular: 'machine', apiVersion: 'hypersdk.io/v1', categories: ['vimana'] });
    expect(Object.keys(machine.schema.properties ?? {})).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(machine.schema.required).toEqual(['spec']);
  });

  it('distinguishes what a user may write from what a reader gets', () => {
    const written: InputOf<typeof machine> = {
      apiVersion: 'hypersdk.io/v1',
      kind: 'Machine',
      metadata: { name: 'one' },
      spec: { cpus: 2 },
    };
    expect(written.spec.running).toBeUndefined();
    expectTypeOf<ObjectOf<typeof machine>['spec']['running']>().toEqualTypeOf<boolean>();
    expectTypeOf<ObjectOf<typeof machine>['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<ObjectOf<typeof machine>['status']>().toEqualTypeOf<{ readonly phase?: 'Off' | 'On' } | undefined>();
  });
});
