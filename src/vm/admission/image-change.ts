/** Returns warnings for a changed image, since a disk is created from its image only once. */
export function imageChangeWarnings(field: string, image: string | undefined, before: string | undefined): string[] {
  if (before === undefined || before === '' || image === before) return [];
  return [`${field} only applies to new disks: the existing disk of this VM does not change`];
}
