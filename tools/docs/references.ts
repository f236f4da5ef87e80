/** Code in a document: spans in backquotes, and the contents of its code blocks. */
export interface CodeInText {
  readonly spans: readonly string[];
  readonly blocks: readonly { readonly language: string; readonly text: string }[];
}

export function codeIn(text: string): CodeInText {
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  return { spans: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span), blocks };
}

const TOP = /^(?:src|test|tools|bench|docs|deploy|examples|bin)\//;

/**
 * Returns the paths of this repository that a document names, as patterns of a glob: `src/vm/engine/plan-vm.ts`,
 * `src/api/<group>`.
 */
export function pathsIn({ spans }: CodeInText): string[] {
  return spans.filter((span) => TOP.test(span) && !/\s/.test(span)).map(toGlob);
}

/** Returns the files that a document names in short, such as `retention.ts` or `flow-control/thread-share.ts`. */
export function shortNamesIn({ spans }: CodeInText): string[] {
  return spans.filter((span) => /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|data\.json)$/.test(span));
}

/** Returns the paths in diagrams, such as `verbs/list` and `kinds/`. They are relative to a directory of src. */
export function diagramPathsIn({ blocks }: CodeInText): string[] {
  return blocks
    .filter(({ language }) => language === '')
    .flatMap(({ text }) => text.match(/[\w-]+\/(?:[\w<>-]+\/?)*/g) ?? [])
    .map(toGlob);
}

/**
 * Returns the identifiers that a document names. In prose, these are the words of every code span that is not a path;
 * in a diagram, the words with a capital inside, such as planVm.
 */
export function identifiersIn(code: CodeInText): string[] {
  const paths = new Set([...pathsIn(code), ...shortNamesIn(code)]);
  const spans = code.spans.filter((span) => !paths.has(toGlob(span)) && !/[<>]/.test(span.replace(/<\w>$/, '')));
  const diagrams = code.blocks.filter(({ language }) => language === '');
  const examples = code.blocks.filter(({ language }) => language === 'ts');
  return [
    ...spans.flatMap(wordsIn),
    ...diagrams.flatMap(({ text }) => wordsIn(text).filter((word) => /[a-z][A-Z]/.test(word))),
    ...examples.flatMap(({ text }) => wordsIn(text.replaceAll(/'[^']*'/g, ''))),
  ];
}

export function wordsIn(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function toGlob(path: string): string {
  return path
    .replace(/[:#].*$/, '')
    .replace(/\/$/, '')
    .replaceAll(/<\w+>/g, '*');
}
