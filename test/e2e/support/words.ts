/** Words of a command line; what stands in braces is one word. */
export const words = (line: string): string[] => line.match(/(?:[^\s{]|\{[^}]*\}+)+/g) ?? [];
