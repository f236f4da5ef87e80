/** Rule that fetches images from another place. */
export interface ImageMirror {
  readonly from: string;
  readonly to: string;
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
