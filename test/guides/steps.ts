import { spawnSync } from 'node:child_process';

/** A command of a guide, and the output that the guide shows. */
export interface Step {
  readonly command: string;
  readonly line: number;
  readonly shown?: string;
  /** Whether the command is so slow that only a long test runs it: ```sh slow. */
  readonly slow: boolean;
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** Line number of its first line. */
  readonly line: number;
}

/**
 * Returns the commands of a guide in order: those of its `sh` blocks, where a `text` block directly after one shows the
 * output of its last command, and those in the last column of tables whose last heading is "here".
 */
export function stepsOf(guide: string): Step[] {
  const lines = guide.split('\n');
  const blocks = blocksOf(lines);
  const steps = blocks.flatMap((block, at) => {
    const [language, mark] = block.language.split(' ');
    if (language !== 'sh') return [];
    const next = blocks[at + 1];
    const isShown = next?.language === 'text' && next.line <= endOf(block) + 4;
    const commands = commandsOf(block);
    return commands.map(({ command, line }, index): Step => {
      const slow = mark === 'slow';
      return isShown && index === commands.length - 1
        ? { command, line, slow, shown: next.text }
        : { command, line, slow };
    });
  });
  const inBlocks = new Set(blocks.flatMap((block) => numbers(block.line, endOf(block))));
  return [...steps, ...rowsOf(lines, inBlocks)].sort((a, b) => a.line - b.line);
}

const endOf = ({ line, text }: Block) => line + text.split('\n').length - 1;
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; text: string[] } | undefined;
  for (const [at, text] of lines.entries()) {
    const fence = /^```(.*)$/.exec(text)?.[1];
    if (fence === undefined) open?.text.push(text);
    else if (open === undefined) open = { language: fence.trim(), line: at + 2, text: [] };
    else {
      blocks.push({ language: open.language, line: open.line, text: open.text.join('\n') });
      open = undefined;
    }
  }
  return blocks;
}

/** Splits a block into pieces that a shell can run one by one. A quotation, a loop or a here-document is not split. */
function commandsOf({ text, line }: Block): { command: string; line: number }[] {
  const commands: { command: string; line: number }[] = [];
  let piece: string[] = [];
  for (const [at, next] of text.split('\n').entries()) {
    if (piece.length === 0 && /^\s*(?:#|$)/.test(next)) continue;
    piece.push(next);
    const command = piece.join('\n');
    if (!isWhole(command)) continue;
    commands.push({ command, line: line + at + 1 - piece.length });
    piece = [];
  }
  if (piece.length > 0) throw new Error(`line ${line}: the shell cannot read ${piece.join('\n')}`);
  return commands;
}

function isWhole(command: string): boolean {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: `${command}\n`, encoding: 'utf8' });
  return status === 0 && stderr === '' && !command.endsWith('\\');
}

/** Code in a table that is a command. */
const PROGRAM = /`((?:kubectl|curl|helm|node|npm|bin\/\w+) [^`]+)`/g;

/** Returns the commands in tables. */
function rowsOf(lines: readonly string[], isTaken: ReadonlySet<number>): Step[] {
  let isHere = false;
  return lines.flatMap((text, at) => {
    if (!text.startsWith('|') || isTaken.has(at + 1)) {
      isHere = false;
      return [];
    }
    const cells = text.split(/(?<!\\)\|/).slice(1, -1);
    const last = cells.at(-1)?.trim() ?? '';
    if (last === 'here') {
      isHere = true;
      return [];
    }
    const spans = isHere ? [...last.matchAll(PROGRAM)] : [];
    return spans.map(([, command = '']) => ({ command: command.replaceAll('\\|', '|'), line: at + 1, slow: false }));
  });
}
