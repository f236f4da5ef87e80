import type { Mutant } from './mutants.ts';
import { formatChange } from './outcome.ts';

/** A mutant that no test can notice, and the proof. */
export interface NoEffect {
  readonly path: string;
  /** The source line, trimmed. An entry no longer applies when its line changes. */
  readonly code: string;
  /** The change as it is printed, such as `< → <=`. */
  readonly change: string;
  readonly because: string;
}

/** Add a mutant only with a proof: the input that would tell the two apart, and why it cannot occur. */
export const NO_EFFECT: readonly NoEffect[] = [
  {
    path: 'src/fleet/rebalance/promising-moves.ts',
    code: 'let best = -1;',
    change: '1 → 2',
    because: 'any negative number means that no destination was found: the only use beside a destination is best < 0',
  },
  {
    path: 'src/api/launcher-size.ts',
    code: "return Number.isSafeInteger(sockets) && typeof memory === 'string' ? { sockets: sockets ?? 1, memory } : undefined;",
    change: '1 → 2',
    because:
      'Number.isSafeInteger(undefined) is false, so sockets is a number there; the default is for the type checker',
  },
  {
    path: 'src/platform/base/finite-json.ts',
    code: 'for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {',
    change: '1 → 2',
    because:
      'a run of MANY_DIGITS digits covers one position of every residue modulo MANY_DIGITS, so any first position below MANY_DIGITS finds it, and the run is then measured to both sides',
  },
  {
    path: 'src/platform/base/sha256.ts',
    code: 'if (isPrime(n)) found.push(((n ** power % 1) * 2 ** 32) | 0);',
    change: '% → *',
    because:
      'the integer part contributes a multiple of 2 ** 32, which | 0 drops; both x % 1 and the product with a power of two are exact for numbers this small',
  },
];

/** Returns why a mutant has no effect, or undefined if it has one. `text` is the text of its file. */
export function noEffectReason(mutant: Mutant, text: string, known = NO_EFFECT): string | undefined {
  const code = text.split('\n')[mutant.line - 1]?.trim();
  const change = formatChange(mutant);
  return known.find((each) => each.path === mutant.path && each.code === code && each.change === change)?.because;
}
