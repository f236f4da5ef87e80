import type { KubeObject } from '#platform/kube/kube-object';

/** Turns objects of any version into another version of the same kind. */
export type Convert = (
  objects: readonly KubeObject[],
  apiVersion: string,
) => readonly KubeObject[] | Promise<readonly KubeObject[]>;

/** Conversion strategy None: all versions have the same fields, only the name of the version changes. */
export const renameVersion: Convert = (objects, apiVersion) =>
  objects.map((object) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }));
