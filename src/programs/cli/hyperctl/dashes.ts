import type { Option } from 'commander';
import { UsageError } from '#platform/base/errors';

/**
 * Converts hyperctl's flags `-flag value`, `-flag=value` and `-flag=false` to the form that commands parse. One dash
 * and two dashes mean the same; single letters are unchanged.
 */
export function doubleDashed(words: readonly string[], options: readonly Option[]): string[] {
  const done: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return [...done, word, ...rest];
    const [, name, value] = /^--?([A-Za-z][\w-]+)(?:=([^]*))?$/.exec(word) ?? [];
    if (name === undefined) {
      const letter = options.find(({ short }) => short === word);
      done.push(word, ...(letter !== undefined && takesValue(letter) ? rest.splice(0, 1) : []));
      continue;
    }
    const option = options.find(({ long }) => long === `--${name}` || long === `--no-${name}`);
    if (option === undefined) done.push(word.replace(/^--?/, '--'));
    else if (takesValue(option)) {
      const given = value ?? rest.shift();
      done.push(given === undefined ? `--${name}` : `--${name}=${given}`);
    } else done.push(...formatSwitch(name, value, option));
  }
  return done;
}

/** Converts a boolean flag such as `-wait`, `-wait=true` or `-quiesce=false`. */
function formatSwitch(name: string, value: string | undefined, { long, negate }: Option): string[] {
  const truth = value === undefined ? true : TRUTHS[value.toLowerCase()];
  if (truth === undefined) throw new UsageError(`-${name}=${value ?? ''}: it must be true or false`);
  const isSaidAsItIs = long === `--${name}`;
  // A flag that defaults to true needs no word unless it is negated.
  if (negate && !isSaidAsItIs) return truth ? [] : [`--no-${name}`];
  return truth ? [`--${name}`] : [];
}

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, t: true, 1: true, false: false, f: false, 0: false };

const takesValue = ({ required, optional }: Option) => required || optional;
