/** Rule that fetches images from another place. */
export interface ImageMirror {
  readonly from: string;
  readonly to: string;
}

/** Parses `FROM=TO`. Returns undefined if one of them is missing. */
export function parseImageMirror(text: string): ImageMirror | undefined {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  return at < 0 || from === '' || to === '' ? undefined : { from, to };
}

/**
 * Returns where an image is fetched from. The longest matching prefix is replaced, once; it matches whole parts of a
 * name only, so that `quay.io/fed` does not match `quay.io/fedora`.
 */
export function mirroredName(name: string, mirrors: readonly ImageMirror[]): string {
  let best: ImageMirror | undefined;
  for (const mirror of mirrors) {
    if (matches(name, mirror.from) && mirror.from.length >= (best?.from.length ?? 0)) best = mirror;
  }
  return best === undefined ? name : `${best.to}${name.slice(best.from.length)}`;
}

function matches(name: string, from: string): boolean {
  if (!name.startsWith(from)) return false;
  return name.length === from.length || from.endsWith('/') || /[/:@?]/.test(name[from.length] ?? '');
}
