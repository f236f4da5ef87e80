import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { exactlyOne, type FieldHints, type HintedPart, joinHints } from './field-hints.ts';
import { scenarioReferences } from './scenario-references.ts';
import { amount, bytes, duration, durationText, labels } from './values.ts';

const shares = fc.oneof(
  fc.constantFrom('0', '1', '0.15', '.5', '1e-2', 0, 1),
  fc.integer({ min: 1, max: 99 }).map((n) => `0.${n}`),
);
const sizes = fc.oneof(
  fc.record({ cpu: shares, memory: shares }),
  fc.record({
    cpu: fc.oneof(fc.constantFrom('500m', '4', 2), fc.integer({ min: 1, max: 64 }).map(String)),
    memory: fc.integer({ min: 1, max: 512 }).map((size) => `${size}Gi`),
  }),
);

const size: FieldHints = {
  repairs: {
    resources: (resources: HintedPart, draw) => {
      Object.assign(resources, draw.of(sizes));
    },
  },
};

export const simulationVirtualMachine = joinHints(size, {
  fields: {
    'utilization.cpu': { good: shares, bad: ['-1', 'much'] },
    'utilization.memory': { good: shares, bad: ['-1', '1.5', '2Gi', 'much'] },
    'resources.memory': { good: shares, bad: ['-1', '1.5', '1Ki', 'much', -1] },
    'resources.cpu': { good: shares, bad: ['-1', 'much', -1] },
  },
  repairs: {
    '.spec': (spec: HintedPart) => {
      if (spec['utilization'] !== undefined) spec['resources'] = { cpu: '4', memory: '8Gi' };
    },
  },
});

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  constant: ['value'],
  uniform: ['min', 'max'],
  normal: ['mean', 'stddev', 'min', 'max'],
  exponential: ['mean', 'min', 'max'],
};
const PARAMETERS = ['value', 'min', 'max', 'mean', 'stddev'];
const NUMBERS: Readonly<HintedPart> = { value: 3, min: 1, max: 9, mean: 4, stddev: 1.5 };

/**
 * Leaves a distribution the parameters that it requires and none that it rejects. If its type does not match them, it
 * gets another.
 */
function distribution(part: HintedPart): void {
  const given = PARAMETERS.filter((name) => part[name] !== undefined);
  if (part['type'] === undefined || part['type'] === 'poisson' || !given.every((name) => takes(part['type'], name))) {
    part['type'] = Object.keys(NEEDS).find((type) => given.every((name) => takes(type, name))) ?? 'normal';
  }
  for (const name of PARAMETERS) {
    if (takes(part['type'], name)) part[name] = NUMBERS[name];
    else delete part[name];
  }
}

function takes(type: unknown, name: string): boolean {
  return NEEDS[String(type)]?.includes(name) === true;
}

function arrivals(part: HintedPart, draw: Draw): void {
  const poisson = part['ratePerHour'] !== undefined || (part['type'] ?? 'poisson') === 'poisson';
  if (!poisson) return distribution(part);
  if (PARAMETERS.some((name) => part[name] !== undefined) && draw.below(2) === 0) {
    delete part['ratePerHour'];
    return distribution(part);
  }
  part['type'] = 'poisson';
  part['ratePerHour'] ??= 12;
  for (const name of PARAMETERS) delete part[name];
}

const SHAPES: Readonly<Record<string, HintedPart>> = {
  constant: { value: 0.5 },
  sine: { mean: 0.5, amplitude: 0.25 },
  trace: { points: [{ at: '0s', value: 0.1 }] },
  randomWalk: { start: 0.5, step: 0.05 },
};
const oneShape = exactlyOne(Object.keys(SHAPES), { constant: SHAPES['constant'] });

function signal(part: HintedPart): void {
  oneShape(part);
  part['type'] = Object.keys(SHAPES).find((shape) => part[shape] !== undefined);
}

export const simulationScenario = joinHints(size, {
  fields: {
    'spec.duration': { good: fc.constantFrom('4h', '1d', '90m', '2w'), bad: ['0s', '', 'long'] },
    'nodes[].cpu': amount,
    'nodes[].memory': bytes,
    'nodes[].labels': labels,
    'vmPools[].labels': labels,
    'taskGenerators[].labels': labels,
    'sine.period': duration,
    'sine.peakAt': { good: durationText },
    'sine.mean': { good: fc.constantFrom(0, 0.25, 0.5), bad: [-0.1] },
    'sine.amplitude': { good: fc.constantFrom(0, 0.25, 0.5), bad: [-0.1] },
    'constant.value': { good: fc.constantFrom(0, 0.5, 1), bad: [-1] },
    'points[].value': { good: fc.constantFrom(0, 0.5, 1), bad: [-1] },
    'randomWalk.interval': duration,
    'randomWalk.start': { good: fc.constant(0.5), bad: [-1] },
    'randomWalk.min': { good: fc.constantFrom(0, 0.25, 0.5) },
    'randomWalk.max': { good: fc.constantFrom(0.5, 0.75, 1) },
    'when.for': { good: fc.constantFrom('0s', '5m', '1h'), bad: ['', '-1s', '9999w'] },
    'when.threshold': { good: fc.constantFrom(0.25, 0.5, 0.9) },
    cooldown: { good: durationText },
    'timeline[].at': { good: fc.constantFrom('0s', '30m', '90m'), bad: ['', '9999w', '-1h'] },
    'taskGenerators[].from': { good: fc.constantFrom('0s', '10m'), bad: ['9999w'] },
    'taskGenerators[].until': { good: fc.constantFrom('11m', '90m'), bad: ['0s', '9999w'] },
  },
  repairs: {
    'profiles[].cpu': signal,
    'profiles[].memory': signal,
    'taskGenerators[].cpu': distribution,
    memoryGi: distribution,
    lifetimeSeconds: distribution,
    arrivals,
    trace: (trace: HintedPart) => {
      const points = trace['points'] as HintedPart[];
      if (trace['repeat'] === true && points.length < 2) points.push({ at: '1h', value: 0.2 });
      for (const [i, point] of points.entries()) point['at'] = `${i + 1}h`;
    },
    when: (when: HintedPart) => {
      if (when['metric'] === 'pendingVMs') delete when['scope'];
    },
    'hotSpots[]': exactlyOne(['nodes', 'pick'], { pick: { metric: 'vmCount' } }),
    '.spec': scenarioReferences,
  },
});
