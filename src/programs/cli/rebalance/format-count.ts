/** Formats a number of things. */
export const formatCount = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
