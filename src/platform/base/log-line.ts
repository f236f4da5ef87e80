/** Entry of the JSON log. */
interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly [field: string]: unknown;
}

/** Formats an entry for people: time, level, message, fields, then its errors with their stacks, indented. */
export function formatLogLine({ level, time, msg = '', ...fields }: Line): string {
  const errors = Object.values(fields).filter(isError);
  const head = [time, level.toUpperCase().padEnd(5), oneLine(msg), words(fields)]
    .filter((part) => part !== '')
    .join(' ');
  return `${[head, ...errors.flatMap((error) => trace(error, ''))].join('\n')}\n`;
}

function words(fields: object): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${word(isError(value) ? summary(value) : value)}`);
  return pairs.join(' ');
}

/** Formats clear text unchanged and everything else as JSON. */
function word(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value) ? value : oneLine(JSON.stringify(value));
}

/** Escapes control characters, which could forge a line or move the cursor of the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === '\n' ? '\\n' : `\\x${(char.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

/** Formats an error's summary, its other fields, its stack, and the same for its causes. */
function trace(error: PlainError, label: string): string[] {
  const { name: _name, message: _message, stack, cause, errors, ...fields } = error;
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  return [
    `    ${label}${oneLine(summary(error))}${Object.keys(fields).length > 0 ? ` ${words(fields)}` : ''}`,
    ...frames.map((frame) => `        ${oneLine(frame.trim())}`),
    ...(Array.isArray(errors) ? errors : []).flatMap((inner) => behind(inner, 'one of: ')),
    ...(cause === undefined ? [] : behind(cause, 'caused by: ')),
  ];
}

function behind(error: unknown, label: string): string[] {
  return isError(error) ? trace(error, label) : [`    ${label}${word(error)}`];
}

function summary({ name, message }: PlainError): string {
  return `${name}: ${message}`;
}

function isError(value: unknown): value is PlainError {
  const isText = (key: string): boolean => typeof (value as Record<string, unknown>)[key] === 'string';
  return typeof value === 'object' && value !== null && isText('name') && isText('message') && isText('stack');
}
