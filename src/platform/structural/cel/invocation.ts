import { callCost } from './call-cost.ts';
import type { Code } from './frame.ts';
import type { AnyApply, Overload } from './library.ts';
import { noMatchingOverload } from './no-matching-overload.ts';
import { fits } from './value-type.ts';
import { Optional, type Value } from './values.ts';

/** Functions that only parse a text. */
export const READERS: ReadonlySet<string> = new Set([
  'quantity',
  'ip',
  'cidr',
  'url',
  'semver',
  'duration',
  'timestamp',
]);

/** Calls a function. The first overload is tried before any list is created, since most calls have only one. */
export function invoke(name: string, codes: readonly Code[], overloads: readonly Overload[]): Code {
  const price = callCost(name);
  const choose = dispatch(name, overloads);
  const [first, second] = codes;
  const likely = overloads[0]?.params.length === codes.length ? overloads[0] : undefined;
  if (first !== undefined && second !== undefined && likely !== undefined && codes.length === 2) {
    const { params, apply } = likely;
    const [one, two] = params as [never, never];
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      frame.spend(price(a, b));
      return fits(one, a) && fits(two, b) ? apply(a, b, frame) : choose([a, b])(a, b, frame);
    };
  }
  if (first !== undefined && likely !== undefined && codes.length === 1) {
    const { params, apply } = likely;
    const [one] = params as [never];
    return (frame) => {
      const a = first(frame);
      frame.spend(price(a, null));
      return fits(one, a) ? apply(a, frame) : choose([a])(a, frame);
    };
  }
  return (frame) => {
    const args = codes.map((code) => code(frame));
    frame.spend(price(args[0] ?? null, args[1] ?? null));
    return choose(args)(...args, frame);
  };
}

/** Parses a literal only once, but charges the cost each time. */
export function readOnce(name: string, literal: Value, overloads: readonly Overload[]): Code {
  const read = invoke(name, [() => literal], overloads);
  const cost = callCost(name)(literal, null);
  let known: Value | undefined;
  return (frame) => {
    if (known === undefined) known = read(frame);
    else frame.spend(cost);
    return known;
  };
}

/** Finds the overload that matches the values, where types alone did not decide. */
function dispatch(name: string, overloads: readonly Overload[]): (args: readonly Value[]) => AnyApply {
  const isAccess = name === '_[_]' || name === '_[?_]';
  return (args) => {
    if (isAccess && !(args[0] instanceof Optional)) return (overloads[0] as Overload).apply;
    for (const { params, apply } of overloads) {
      let fitting = true;
      for (let i = 0; i < params.length && fitting; i++) fitting = fits(params[i] as never, args[i] as Value);
      if (fitting) return apply;
    }
    throw noMatchingOverload(name, args);
  };
}
