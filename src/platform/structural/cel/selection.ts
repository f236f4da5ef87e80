import { SELECT } from './call-cost.ts';
import type { Code, Frame } from './frame.ts';
import { lookUp } from './library/optionals.ts';
import { EvaluationError, Mapping, Optional, type Value } from './values.ts';

/** Variable and the fields below it. Most expressions use such paths, so they take one step. */
export interface Path {
  readonly slot: number;
  readonly fields: readonly string[];
}

/** Selects a field of the value of an expression. */
export function selection(operand: Code, field: string): Code {
  return (frame) => {
    const container = operand(frame);
    frame.spend(SELECT);
    return fieldOf(container, field);
  };
}

export function pathSelection(path: Path, field: string): Code {
  const whole: Path = { slot: path.slot, fields: [...path.fields, field] };
  return (frame) => follow(whole, frame);
}

/** Reports whether the value of an expression has a field. */
export function presence(operand: Code, field: string): Code {
  return (frame) => isPresent(operand(frame), field);
}

export function pathPresence(path: Path, field: string): Code {
  return (frame) => isPresent(follow(path, frame), field);
}

function follow({ slot, fields }: Path, frame: Frame): Value {
  frame.spend(SELECT);
  let value = frame.slots[slot] as Value;
  for (let i = 0; i < fields.length; i++) {
    frame.spend(SELECT);
    value = fieldOf(value, fields[i] as string);
  }
  return value;
}

function fieldOf(container: Value, field: string): Value {
  if (container instanceof Mapping) {
    const value = container.get(field);
    if (value !== undefined) return value;
  } else if (container instanceof Optional) return lookUp(container, field);
  throw new EvaluationError(`no such key: ${field}`);
}

function isPresent(container: Value, field: string): boolean {
  if (container instanceof Mapping) return container.has(field);
  return container instanceof Optional && container.held !== undefined && isPresent(container.held, field);
}
