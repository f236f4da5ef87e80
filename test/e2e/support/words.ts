/** Splits a command line into words. Text in braces is one word. */
export const words = (line: string): string[] => line.match(/(?:[^\s{]|\{[^}]*\}+)+/g) ?? [];
