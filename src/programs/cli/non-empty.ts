import { InvalidArgumentError } from 'commander';

/** Rejects empty text: an unset variable of a script must not mean the current directory. */
export function nonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
