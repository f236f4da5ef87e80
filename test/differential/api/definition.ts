/** Group of the custom resources that sequences use. They are installed on both servers first. */
export const GROUP = 'differential.example';

const text = { type: 'string' };
const whole = { type: 'integer' };

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 100, default: 3 },
    small: { type: 'integer', format: 'int32', exclusiveMinimum: true, minimum: 0, multipleOf: 2 },
    share: { type: 'number', minimum: 0, maximum: 1 },
    mode: { type: 'string', enum: ['Fast', 'Slow'], default: 'Slow' },
    word: { type: 'string', minLength: 2, maxLength: 8, pattern: '^[a-z]+$' },
    when: { type: 'string', format: 'date-time' },
    address: { type: 'string', format: 'ipv4' },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is fixed' }] },
    nothing: { type: 'string', nullable: true },
    port: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: {
      type: 'object',
      default: { depth: 1 },
      properties: { depth: { type: 'integer', default: 7 }, name: { type: 'string', default: 'none' } },
    },
    limits: {
      type: 'object',
      maxProperties: 3,
      additionalProperties: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    },
    set: { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 20 }, 'x-kubernetes-list-type': 'set' },
    plain: { type: 'array', minItems: 1, uniqueItems: false, items: whole },
    ports: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { ...text, maxLength: 20 },
          protocol: { ...text, default: 'TCP', maxLength: 5 },
          number: whole,
        },
      },
    },
    either: {
      type: 'object',
      properties: { a: text, b: text },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self.size < 50 || self.mode == "Fast"', message: 'large ones are fast', fieldPath: '.size' },
    {
      rule: 'self.size >= oldSelf.size',
      messageExpression: '"shrank, " + (self.mode == "Fast" ? "fast" : "slow")',
      reason: 'FieldValueForbidden',
    },
    { rule: '!has(self.ports) || self.ports.all(p, p.name != "no")' },
  ],
};

const status = {
  type: 'object',
  properties: {
    replicas: whole,
    phase: text,
    selector: text,
    conditions: { type: 'array', items: { type: 'object', properties: { type: text, status: text } } },
  },
};

const openAPIV3Schema = { type: 'object', properties: { spec, status } };
const columns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'How it goes.' },
  { name: 'Ports', type: 'string', jsonPath: '.spec.ports[*].name', priority: 1 },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
];

/** CRDs with everything that a structural schema supports, in two versions, and a cluster-scoped one. */
export const DEFINITIONS: readonly object[] = [
  definition('gadgets', 'Gadget', 'Namespaced', [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema },
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      additionalPrinterColumns: columns,
      selectableFields: [{ jsonPath: '.spec.mode' }, { jsonPath: '.spec.word' }],
    },
    {
      name: 'v1beta1',
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: 'use v1',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { size: whole } },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    },
  ]),
  definition('territories', 'Territory', 'Cluster', [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { owner: text } } } },
      },
    },
  ]),
];

function definition(plural: string, kind: string, scope: string, versions: readonly object[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), shortNames: [plural.slice(0, 3)], categories: ['all'] },
      versions,
    },
  };
}

/** A valid gadget that sequences start from. */
export function gadget(name: string): Record<string, unknown> & { spec: Record<string, unknown> } {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'Gadget',
    metadata: { name, labels: { app: 'x' } },
    spec: {
      size: 5,
      small: 4,
      share: 0.5,
      mode: 'Fast',
      word: 'abc',
      when: '2026-01-01T00:00:00Z',
      address: '10.0.0.1',
      fixed: 'f',
      nothing: null,
      port: 'http',
      free: { a: [1, { b: null }] },
      nested: { depth: 2 },
      limits: { cpu: 1, memory: '1Gi' },
      set: ['a', 'b'],
      plain: [1, 2],
      ports: [
        { name: 'p', number: 1 },
        { name: 'p', protocol: 'UDP' },
      ],
      either: { a: 'x' },
    },
  };
}
