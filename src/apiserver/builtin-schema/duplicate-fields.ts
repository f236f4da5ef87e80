interface Frame {
  /** The keys seen in an object; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index that the next value has. */
  at: string | number;
}

const TOKEN = /[{}[\],]|"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Finds keys that stand twice in an object of a JSON text, which JSON.parse does not tell; each as a path,
 * spec.containers[0].name. The text must be valid JSON.
 */
export function duplicateFields(text: string): string[] {
  const stack: Frame[] = [];
  const found = new Set<string>();
  for (const { 0: token, 1: colon } of text.matchAll(TOKEN)) {
    const frame = stack.at(-1);
    switch (token) {
      case '{':
        stack.push({ keys: new Set(), at: '' });
        break;
      case '[':
        stack.push({ keys: undefined, at: 0 });
        break;
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (typeof frame?.at === 'number') frame.at++;
        break;
      default: {
        if (frame?.keys === undefined || colon === undefined) break;
        frame.at = keyOf(token.slice(0, -colon.length));
        if (frame.keys.has(frame.at)) found.add(pathOf(stack));
        frame.keys.add(frame.at);
      }
    }
  }
  return [...found];
}

const keyOf = (quoted: string): string => (quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1));

function pathOf(stack: readonly Frame[]): string {
  let path = '';
  for (const { at } of stack) {
    if (typeof at === 'number') path += `[${at}]`;
    else path += path === '' ? at : `.${at}`;
  }
  return path;
}
