import { InvalidArgumentError } from 'commander';

/** Text that may not be empty: an unset variable of a script must not mean the folder at hand. */
export function nonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
