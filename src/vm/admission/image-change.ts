/** A disk is made from its image once: who names another image for a machine that stands may expect more. */
export function imageChangeWarnings(field: string, image: string | undefined, before: string | undefined): string[] {
  if (before === undefined || before === '' || image === before) return [];
  return [`${field} is what a new disk is made from: the disk that this machine has stays as it is`];
}
