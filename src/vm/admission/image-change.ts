/** Returns warnings for a changed image, since a disk is created from its image only once. */
export function imageChangeWarnings(field: string, image: string | undefined, before: string | undefined): string[] {
  if (before === undefined || before === '' || image === before) return [];
  return [`${field} is what a new disk is made from: the disk that this machine has stays as it is`];
}
